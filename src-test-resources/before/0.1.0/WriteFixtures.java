/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.DropCov;
import io.github.spd4j.layers.ExpEigLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogCholeskyLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.MatrixPowerLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ScatteringLayer;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SparseInverseLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdDropout;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.listeners.Figure;
import io.github.spd4j.listeners.HealthRecord;
import io.github.spd4j.listeners.HealthReport;
import io.github.spd4j.listeners.LayerHealth;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.TrainingProgress;
import io.github.spd4j.updater.StiefelAdam;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.ui.model.storage.FileStatsStorage;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * Wrote the files of version 0.1.0, with the classes of that version, once for each version of
 * DL4J. It is no part of the build: later versions must read what that one wrote.
 *
 * <p>Argument: the folder {@code before}, which has the images. The properties {@code spd4j.root}
 * and {@code spd4j.dl4j.version} are those of the tests; the class path is that of the tests of
 * {@code application/experiments}.
 */
public final class WriteFixtures {

  private static final int CLASSES = 3;
  private static final int STEPS = 3;
  private static final int TRAINING = 15;
  private static final int ALL = 24;

  private final Path shared;
  private final Path own;
  private final INDArray images;

  private WriteFixtures(Path before) {
    shared = before.resolve("0.1.0");
    own = before.resolve(System.getProperty("spd4j.dl4j.version")).resolve("0.1.0");
    images = Nd4j.createFromNpyFile(before.resolve("images.npy").toFile());
  }

  public static void main(String[] args) throws IOException {
    WriteFixtures fixtures = new WriteFixtures(Path.of(args[0]));
    fixtures.networks();
    fixtures.training();
    fixtures.runs();
    if (!Files.exists(fixtures.shared.resolve("health.zip"))) {
      fixtures.health();
    }
  }

  private Path in(String first, String... more) throws IOException {
    Path path = own.resolve(Path.of(first, more));
    Files.createDirectories(path.getParent());
    return path;
  }

  private void numbers(INDArray array, String first, String... more) throws IOException {
    Nd4j.writeAsNumpy(array, in(first, more).toFile());
  }

  // ---- networks ---------------------------------------------------------------------------------

  private void networks() throws IOException {
    ComputationGraph graph = graph();
    DataSet data = labelled(images.get(NDArrayIndex.interval(0, 6)), DataType.DOUBLE);
    fit(graph, data);
    save(graph, "graph-double");
    numbers(graph.outputSingle(data.getFeatures()), "networks", "graph-double-output.npy");
    fit(graph, data);
    numbers(graph.params(), "networks", "graph-double-later.npy");

    MultiLayerNetwork layers = layers();
    data = labelled(images.reshape(6, 2, 12, 12), DataType.FLOAT); // large enough for wavelets
    for (int i = 0; i < STEPS; i++) {
      layers.fit(data);
    }
    save(layers, "layers-float");
    numbers(layers.output(data.getFeatures()), "networks", "layers-float-output.npy");
    for (int i = 0; i < STEPS; i++) {
      layers.fit(data);
    }
    numbers(layers.params(), "networks", "layers-float-later.npy");
  }

  private static DataSet labelled(INDArray six, DataType type) {
    INDArray labels = Nd4j.zeros(type, 6, CLASSES);
    for (int i = 0; i < 6; i++) {
      labels.putScalar(i, i % CLASSES, 1);
    }
    return new DataSet(six.castTo(type), labels);
  }

  private void save(Model net, String name) throws IOException {
    ModelSerializer.writeModel(net, in("networks", name + ".zip").toFile(), true);
  }

  private static void fit(ComputationGraph net, DataSet data) {
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
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

  /** What is new since the files of the folder above, each in a branch of its own. */
  private static ComputationGraph graph() {
    GraphBuilder graph =
        general(DataType.DOUBLE)
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(InputType.convolutional(6, 6, 2))
            .addLayer("conv", convolution(), "in");
    List<String> ends = new ArrayList<>();
    for (Map.Entry<String, List<Layer>> branch : branches().entrySet()) {
      String previous = "conv";
      for (Layer layer : branch.getValue()) {
        String name = branch.getKey() + branch.getValue().indexOf(layer);
        graph.addLayer(name, layer, previous);
        previous = name;
      }
      ends.add(previous);
    }
    graph.addVertex("merge", new MergeVertex(), ends.toArray(new String[0]));
    graph.addLayer("out", output(), "merge").setOutputs("out");
    ComputationGraph net = new ComputationGraph(graph.build());
    net.init();
    return net;
  }

  private static Map<String, List<Layer>> branches() {
    Map<String, List<Layer>> all = new LinkedHashMap<>();
    all.put(
        "cholesky",
        List.of(
            kernel(new RbfKernel()),
            new SpdBatchNormalizationLayer.Builder().metric(LogMetric.CHOLESKY).decay(0.8).build(),
            vector()));
    all.put(
        "euclidean",
        List.of(
            kernel(new RbfKernel(Bandwidth.meanDistance().times(0.5))),
            new SpdBatchNormalizationLayer.Builder().metric(LogMetric.EUCLIDEAN).build(),
            new LogEigLayer.Builder().build(),
            vector()));
    all.put(
        "shrunk",
        List.of(
            kernel(new CovarianceKernel()),
            new ShrinkageLayer.Builder()
                .shrinkage(0.3)
                .learnt(true)
                .traceNormalization(true)
                .build(),
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

  private static Layer vector() {
    return new SpdVectorizationLayer.Builder().powerFloor(0.1).build();
  }

  /** Begins with wavelets and ends on the manifold. */
  private static MultiLayerNetwork layers() {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            general(DataType.FLOAT)
                .list()
                .layer(new ScatteringLayer.Builder().scales(1).directions(2).build())
                .layer(kernel(new RbfKernel()))
                .layer(
                    new SpdTransformLayer.Builder().nOut(3).updater(new StiefelAdam(0.01)).build())
                .layer(
                    new SpdOutputLayer.Builder()
                        .metric(LogMetric.CHOLESKY)
                        .activation(Activation.SOFTMAX)
                        .nOut(CLASSES)
                        .build())
                .setInputType(InputType.convolutional(12, 12, 2))
                .build());
    net.init();
    return net;
  }

  // ---- a training -------------------------------------------------------------------------------

  private static final TrainingPlan PLAN =
      TrainingPlan.recommended().toBuilder()
          .batchSize(4)
          .epochs(Stage.HEAD, 3)
          .epochs(Stage.WHOLE, 2)
          .keep(KeptWeights.LAST)
          .build();

  private static ComputationGraph startingNetwork() {
    ComputationGraph net =
        new ComputationGraph(
            general(DataType.DOUBLE)
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(6, 6, 2))
                .addLayer("conv", convolution(), "in")
                .addLayer("kernel", kernel(new RbfKernel()), "conv")
                .addLayer("transform", new SpdTransformLayer.Builder().nOut(3).build(), "kernel")
                .addLayer(
                    "normalisation", new SpdBatchNormalizationLayer.Builder().build(), "transform")
                .addLayer("root", new MatrixSquareRootLayer.Builder().build(), "normalisation")
                .addLayer("vector", vector(), "root")
                .addLayer("out", output(), "vector")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private void training() throws IOException {
    Path start = in("training", "head-start.zip");
    ModelSerializer.writeModel(startingNetwork(), start.toFile(), false);
    Path run = in("training", "head");
    try {
      train(
          restored(start),
          run,
          new TrainingProgress() {
            @Override
            public void epochDone(EpochRecord record) {
              if (record.epoch() == 2) {
                throw new Stop();
              }
            }
          });
      throw new IllegalStateException("was not stopped");
    } catch (Stop e) {
      // as it should be
    }
    Path copy = Files.createTempDirectory("end");
    copy(run, copy);
    ComputationGraph net = restored(start);
    TrainingResult result = train(net, copy, new TrainingProgress() {});
    numbers(net.params(), "training", "head-end.npy");
    Files.writeString(in("training", "head-history.json"), result.historyJson());
  }

  private static ComputationGraph restored(Path start) throws IOException {
    return ModelSerializer.restoreComputationGraph(start.toFile(), false);
  }

  private TrainingResult train(ComputationGraph net, Path run, TrainingProgress progress) {
    return TwoStageTrainer.builder(net, "conv")
        .plan(PLAN)
        .training(part(0, TRAINING))
        .validation(part(TRAINING, ALL))
        .folder(run)
        .progress(progress)
        .build()
        .train();
  }

  private LabelledImages part(int from, int to) {
    int[] labels = new int[to - from];
    Arrays.setAll(labels, i -> (from + i) % CLASSES);
    return new InMemoryImages(images.get(NDArrayIndex.interval(from, to)), labels, CLASSES);
  }

  // ---- runs of the application ------------------------------------------------------------------

  private static ExperimentSettings settings(Path out, String method) {
    ExperimentSettings settings = Fixtures.settings(out, method);
    settings.kind = ExperimentKind.FINE_GRAINED;
    settings.training.wholeEpochs = 2;
    return settings;
  }

  private static ExperimentSettings searching(Path out) {
    ExperimentSettings settings = settings(out, "spd-root");
    settings.tries = List.of(Fixtures.scaled(settings, 3));
    settings.folds = 2;
    return settings;
  }

  /** One that finished, and one that was stopped, with what came of it in the end. */
  private void runs() throws IOException {
    Path finished = in("finished");
    Fixtures.run(settings(finished, "spd"));
    delete(finished, "features|report.html");
    Path stopped = in("stopped");
    try {
      Fixtures.run(searching(stopped), new StoppingTheRun());
      throw new IllegalStateException("was not stopped");
    } catch (Stop e) {
      // as it should be
    }
    Path end = Files.createTempDirectory("end");
    copy(stopped, end);
    Fixtures.run(searching(end));
    delete(stopped, "features");
    try (Stream<Path> files = Files.walk(end)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.getFileName().toString().matches("predictions.csv|result.json")) {
          Files.copy(file, in("stopped-end", file.getFileName().toString()));
        }
      }
    }
  }

  /** Stops in stage one of the run itself, after those of the search. */
  private static final class StoppingTheRun implements Progress {
    private boolean searched;

    @Override
    public void message(String text) {
      searched |= text.contains("takes '");
    }

    @Override
    public void epochDone(EpochRecord record) {
      if (searched && record.epoch() == 1) {
        throw new Stop();
      }
    }
  }

  private static void delete(Path place, String names) throws IOException {
    try (Stream<Path> files = Files.walk(place).sorted(Comparator.reverseOrder())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (Stream.iterate(file, path -> !path.equals(place), Path::getParent)
            .anyMatch(path -> path.getFileName().toString().matches(names))) {
          Files.delete(file);
        }
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  // ---- health -----------------------------------------------------------------------------------

  /** A storage of DL4J's user interface, zipped because it is mostly empty. */
  private void health() throws IOException {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figures.put(figure, 0.25 * (figure.ordinal() + 1));
    }
    HealthReport report =
        new HealthReport(
            7,
            2,
            0.125,
            List.of(
                new LayerHealth("spd", "SpdTransformLayer", figures),
                new LayerHealth(
                    "kernel",
                    "KernelAggregationLayer",
                    Map.of(Figure.CONDITION, Double.POSITIVE_INFINITY))),
            List.of("a warning"));
    Path file = Files.createTempDirectory("health").resolve("storage");
    FileStatsStorage storage = new FileStatsStorage(file.toFile());
    storage.putUpdate(new HealthRecord("session", 1600000000000L, report));
    storage.close();
    try (OutputStream out = Files.newOutputStream(shared.resolve("health.zip"));
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("storage"));
      Files.copy(file, zip);
      zip.closeEntry();
    }
  }
}
