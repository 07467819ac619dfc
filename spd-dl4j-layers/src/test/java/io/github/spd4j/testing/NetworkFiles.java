/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.encoding.GaussianMixture;
import io.github.spd4j.encoding.PrincipalComponents;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.BilinearPoolingLayer;
import io.github.spd4j.layers.CompactBilinearLayer;
import io.github.spd4j.layers.DropCov;
import io.github.spd4j.layers.ExpEigLayer;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogCholeskyLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.MatrixPowerLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.ScatteringLayer;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SparseInverseLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdDropout;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.layers.TextureEncodingLayer;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Named;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

/**
 * Saved networks in the middle of a training: {@code graph} has every layer, kernel, kind of
 * bandwidth and updater, each in a branch of its own; {@code layers} has the usual head, {@code
 * wavelets} begins with wavelets and ends on the manifold. Beside each lies its output, and what
 * its parameters are after some more steps. A new layer comes into {@link #branches()}.
 */
public final class NetworkFiles {

  /** The number of classes of the networks. Image i is of class i modulo this. */
  public static final int CLASSES = 3;

  private static final int IMAGES = 6;
  private static final int STEPS = 3;
  private static final int SIZE = 6;
  private static final InputType IMAGE = InputType.convolutional(SIZE, SIZE, 2);
  private static final InputType LARGE_IMAGE = InputType.convolutional(2 * SIZE, 2 * SIZE, 2);

  private NetworkFiles() {}

  /** Folders with networks, of every release and of this version. */
  public static Stream<Named<Path>> folders() {
    return ReleasedFiles.folders("networks", NetworkFiles::write);
  }

  /** A network that this version has written. */
  public static Path file(String name) {
    return folders().findFirst().orElseThrow().getPayload().resolve(name + ".zip");
  }

  private static void write(Path folder) throws IOException {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      String suffix = "-" + type.name().toLowerCase(Locale.ROOT);
      ComputationGraph graph = graph(type);
      DataSet data = data(type);
      train(graph, data);
      ModelSerializer.writeModel(graph, folder.resolve("graph" + suffix + ".zip").toFile(), true);
      INDArray output = graph.outputSingle(data.getFeatures());
      ReleasedFiles.write(output, folder.resolve("graph" + suffix + "-output.npy"));
      train(graph, data);
      ReleasedFiles.write(graph.params(), folder.resolve("graph" + suffix + "-later.npy"));
      write(layers(type), data, folder, "layers" + suffix);
      write(wavelets(type), largeData(type), folder, "wavelets" + suffix);
    }
  }

  private static void write(MultiLayerNetwork net, DataSet data, Path folder, String name)
      throws IOException {
    train(net, data);
    ModelSerializer.writeModel(net, folder.resolve(name + ".zip").toFile(), true);
    ReleasedFiles.write(net.output(data.getFeatures()), folder.resolve(name + "-output.npy"));
    train(net, data);
    ReleasedFiles.write(net.params(), folder.resolve(name + "-later.npy"));
  }

  /** Trains a network as it was trained before it was saved. */
  public static void train(ComputationGraph net, DataSet data) {
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
  }

  /** Trains a network as it was trained before it was saved. */
  public static void train(MultiLayerNetwork net, DataSet data) {
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
  }

  /** What the graphs and the networks with the usual head are trained with. */
  public static DataSet data(DataType type) {
    return labelled(images(IMAGES, SIZE), type);
  }

  /** Large enough for wavelets. */
  public static DataSet largeData(DataType type) {
    return labelled(images(IMAGES, 2 * SIZE), type);
  }

  /** Stripes across, stripes down and chequers, with noise; image i is of class i mod 3. */
  public static INDArray images(int count, int size) {
    Random random = new Random(1);
    INDArray images = Nd4j.zeros(DataType.FLOAT, count, 2, size, size);
    for (int i = 0; i < count; i++) {
      for (int c = 0; c < 2; c++) {
        for (int y = 0; y < size; y++) {
          for (int x = 0; x < size; x++) {
            int phase = i % CLASSES == 0 ? y : i % CLASSES == 1 ? x : x + y;
            images.putScalar(new int[] {i, c, y, x}, phase % 2 + 0.8 * random.nextGaussian());
          }
        }
      }
    }
    return images;
  }

  private static DataSet labelled(INDArray images, DataType type) {
    INDArray labels = Nd4j.zeros(type, images.size(0), CLASSES);
    for (int i = 0; i < images.size(0); i++) {
      labels.putScalar(i, i % CLASSES, 1);
    }
    return new DataSet(images.castTo(type), labels);
  }

  private static NeuralNetConfiguration.Builder general(DataType type) {
    return new NeuralNetConfiguration.Builder()
        .seed(12345)
        .dataType(type)
        .updater(new Nesterovs(0.02, 0.9))
        .l2(1e-3)
        .activation(Activation.TANH);
  }

  private static Layer convolution() {
    return new ConvolutionLayer.Builder(3, 3).nOut(5).build();
  }

  private static Layer output() {
    return new OutputLayer.Builder(LossFunction.MCXENT)
        .activation(Activation.SOFTMAX)
        .nOut(CLASSES)
        .build();
  }

  private static ComputationGraph graph(DataType type) {
    GraphBuilder graph =
        general(type)
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(IMAGE)
            .addLayer("conv", convolution(), "in");
    List<String> ends = new ArrayList<>();
    branches()
        .forEach(
            (branch, layers) -> {
              String previous = "conv";
              for (int i = 0; i < layers.size(); i++) {
                graph.addLayer(branch + i, layers.get(i), previous);
                previous = branch + i;
              }
              ends.add(previous);
            });
    graph.addVertex("merge", new MergeVertex(), ends.toArray(new String[0]));
    graph.addLayer("out", output(), "merge").setOutputs("out");
    ComputationGraph net = new ComputationGraph(graph.build());
    net.init();
    storeMixture(net.getLayer("fisher0"));
    return net;
  }

  private static Map<String, List<Layer>> branches() {
    Bandwidth mean = Bandwidth.meanDistance();
    Bandwidth fixed = Bandwidth.fixed(2);
    Map<String, List<Layer>> all = new LinkedHashMap<>();
    all.put(
        "mean",
        List.of(
            kernel(new RbfKernel(mean)),
            transform(4, null),
            transform(3, new StiefelSgd(0.02, 0.8)),
            vector()));
    all.put(
        "differentiated",
        List.of(
            kernel(new RbfKernel(mean.times(0.5).differentiated())),
            transform(
                3,
                StiefelAdam.builder()
                    .learningRate(new StepSchedule(ScheduleType.ITERATION, 0.01, 0.5, 3))
                    .beta1(0.8)
                    .beta2(0.99)
                    .epsilon(1e-6)
                    .build()),
            vector()));
    all.put(
        "fixed",
        List.of(
            kernel(new RbfKernel(fixed.times(3))), new LogEigLayer.Builder().build(), vector()));
    all.put("learnt", List.of(kernel(new RbfKernel(mean.times(0.5).learnt())), vector()));
    all.put("fixedLearnt", List.of(kernel(new RbfKernel(fixed.learnt())), vector()));
    all.put(
        "laplacian",
        List.of(
            kernel(new LaplacianKernel()),
            transform(
                4,
                StiefelSgd.builder()
                    .learningRate(new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 2))
                    .momentum(0.9)
                    .metric(StiefelMetric.EUCLIDEAN)
                    .retraction(Retraction.POLAR)
                    .build()),
            new ReEigLayer.Builder().floor(0.3).build(),
            transform(3, new StiefelAdam(0.01)),
            vector()));
    all.put("laplacianFixed", List.of(kernel(new LaplacianKernel(fixed)), vector()));
    all.put(
        "laplacianLearnt",
        List.of(kernel(new LaplacianKernel(mean.differentiated().learnt())), vector()));
    all.put(
        "polynomial",
        List.of(
            kernel(PolynomialKernel.degree(2).offset(0.5).scale(0.1)),
            new SpdTransformLayer.Builder()
                .nOut(3)
                .init(StiefelInit.IDENTITY)
                .rectifier(Rectifier.RELU)
                .updater(new StiefelSgd(0.01))
                .build(),
            new SpdVectorizationLayer.Builder()
                .powerFloor(0.2)
                .l2Normalization(false)
                .scale(3)
                .build()));
    all.put(
        "covariance",
        List.of(
            kernel(new CovarianceKernel()),
            new MatrixSquareRootLayer.Builder().iterations(4).build(),
            vector()));
    all.put("bilinear", List.of(new BilinearPoolingLayer.Builder().powerFloor(0.1).build()));
    all.put(
        "compact",
        List.of(new CompactBilinearLayer.Builder().sketchSize(7).seed(5).powerFloor(0.1).build()));
    all.put("texture", List.of(new TextureEncodingLayer.Builder().words(3).scale(2).build()));
    all.put("fisher", List.of(new FisherVectorLayer.Builder().components(2).dimensions(2).build()));
    all.put(
        "cholesky",
        List.of(
            kernel(new RbfKernel()),
            new SpdBatchNormalizationLayer.Builder().metric(LogMetric.CHOLESKY).decay(0.8).build(),
            vector()));
    all.put(
        "euclidean",
        List.of(
            kernel(new RbfKernel(mean.times(0.5))),
            new SpdBatchNormalizationLayer.Builder().metric(LogMetric.EUCLIDEAN).build(),
            new LogEigLayer.Builder().build(),
            vector()));
    all.put(
        "shrunk",
        List.of(
            kernel(new CovarianceKernel()),
            new ShrinkageLayer.Builder().learntFrom(0.3).traceNormalization(true).build(),
            new SparseInverseLayer.Builder().steps(2).sparsity(0.02).build(),
            vector()));
    all.put(
        "ledoitWolf",
        List.of(
            kernel(new LedoitWolfKernel()),
            new MatrixPowerLayer.Builder().exponent(0.3).build(),
            vector()));
    all.put(
        "exponential",
        List.of(
            kernel(new RbfKernel()),
            new LogEigLayer.Builder().build(),
            new ExpEigLayer.Builder().build(),
            new LogCholeskyLayer.Builder().build()));
    all.put( // drops nothing: what is random is no reference
        "dropouts",
        List.of(
            new KernelAggregationLayer.Builder().ridge(1e-2).dropOut(new DropCov(2, 1e-9)).build(),
            new MatrixSquareRootLayer.Builder().dropOut(new SpdDropout(1, 0.5)).build(),
            vector()));
    return all;
  }

  private static Layer kernel(Kernel kernel) {
    return new KernelAggregationLayer.Builder().kernel(kernel).ridge(1e-2).build();
  }

  private static Layer transform(int size, IUpdater updater) {
    return new SpdTransformLayer.Builder().nOut(size).updater(updater).build();
  }

  private static Layer vector() {
    return new SpdVectorizationLayer.Builder().powerFloor(0.1).build();
  }

  private static void storeMixture(org.deeplearning4j.nn.api.Layer layer) {
    FisherVectorLayer conf = (FisherVectorLayer) layer.conf().getLayer();
    int k = conf.getComponents();
    int d = conf.getDimensions();
    Random random = new Random(5);
    INDArray rows = Nd4j.zeros(DataType.DOUBLE, 20, conf.getNIn());
    for (int i = 0; i < rows.length(); i++) {
      rows.putScalar(i, random.nextGaussian());
    }
    FisherVectorLayer.store(
        layer,
        PrincipalComponents.of(rows, d),
        new GaussianMixture(
            Nd4j.createFromArray(new double[][] {{0.4, 0.6}}),
            Nd4j.linspace(DataType.DOUBLE, -0.5, 0.3, (long) k * d).reshape(k, d),
            Nd4j.linspace(DataType.DOUBLE, 0.5, 0.3, (long) k * d).reshape(k, d)));
  }

  private static MultiLayerNetwork layers(DataType type) {
    return net(
        type,
        IMAGE,
        convolution(),
        new KernelAggregationLayer.Builder().build(),
        new SpdTransformLayer.Builder().nOut(3).build(),
        vector(),
        output());
  }

  private static MultiLayerNetwork wavelets(DataType type) {
    return net(
        type,
        LARGE_IMAGE,
        new ScatteringLayer.Builder().scales(1).directions(2).build(),
        kernel(new RbfKernel()),
        transform(3, new StiefelAdam(0.01)),
        new SpdOutputLayer.Builder()
            .metric(LogMetric.CHOLESKY)
            .activation(Activation.SOFTMAX)
            .nOut(CLASSES)
            .build());
  }

  private static MultiLayerNetwork net(DataType type, InputType input, Layer... layers) {
    MultiLayerNetwork net =
        new MultiLayerNetwork(general(type).list(layers).setInputType(input).build());
    net.init();
    return net;
  }
}
