/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import io.github.spd4j.cli.Spd;
import io.github.spd4j.encoding.GaussianMixture;
import io.github.spd4j.examples.cli.Commands;
import io.github.spd4j.examples.datasets.DataSetKind;
import io.github.spd4j.examples.experiments.BackboneChoice;
import io.github.spd4j.examples.experiments.Experiment;
import io.github.spd4j.examples.experiments.ExperimentOptions;
import io.github.spd4j.examples.experiments.Machines;
import io.github.spd4j.examples.experiments.Task;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.BilinearPoolingLayer;
import io.github.spd4j.layers.CompactBilinearLayer;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.layers.TextureEncodingLayer;
import io.github.spd4j.linalg.PrincipalComponents;
import io.github.spd4j.listeners.Figure;
import io.github.spd4j.listeners.HealthRecord;
import io.github.spd4j.listeners.HealthReport;
import io.github.spd4j.listeners.LayerHealth;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.train.EpochRecord;
import io.github.spd4j.train.InMemoryImages;
import io.github.spd4j.train.Keep;
import io.github.spd4j.train.LabelledImages;
import io.github.spd4j.train.Stage;
import io.github.spd4j.train.TrainingPlan;
import io.github.spd4j.train.TrainingProgress;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
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
import java.util.Random;
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
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;
import picocli.CommandLine;

/**
 * Wrote the files beside it, with the classes of revision c1b8531, once for each version of DL4J.
 * It is no part of the build: later revisions must read what that one wrote.
 *
 * <p>Arguments: the folder to write to, the version of DL4J, and the folder of tiny data sets. What
 * has no network in it is written once, the rest for each version of DL4J: 1.0.0-M1.1 refuses
 * networks of 1.0.0-M2.1, whose parameters have another rank.
 */
public final class WriteFixtures {

  private static final int CLASSES = 3;
  private static final int STEPS = 3;
  private static final int SIZE = 6;
  private static final int TRAINING = 15;
  private static final int ALL = 24;
  private static final InputType IMAGE = InputType.convolutional(SIZE, SIZE, 2);

  private final Path shared;
  private final Path own;
  private final Path dataSets;

  private WriteFixtures(Path folder, String dl4j, Path dataSets) {
    this.shared = folder;
    this.own = folder.resolve(dl4j);
    this.dataSets = dataSets;
  }

  public static void main(String[] args) throws IOException {
    WriteFixtures fixtures = new WriteFixtures(Path.of(args[0]), args[1], Path.of(args[2]));
    fixtures.networks();
    fixtures.trainings();
    fixtures.finishedRun();
    fixtures.stoppedRun();
    if (!Files.exists(fixtures.shared.resolve("images.npy"))) {
      Nd4j.writeAsNumpy(images(), fixtures.shared.resolve("images.npy").toFile());
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

  /** Stripes across, stripes down and chequers, with noise; image i is of class i mod 3. */
  private static INDArray images() {
    Random random = new Random(1);
    INDArray images = Nd4j.zeros(DataType.FLOAT, ALL, 2, SIZE, SIZE);
    for (int i = 0; i < ALL; i++) {
      for (int c = 0; c < 2; c++) {
        for (int y = 0; y < SIZE; y++) {
          for (int x = 0; x < SIZE; x++) {
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

  // ---- networks ---------------------------------------------------------------------------------

  private void networks() throws IOException {
    INDArray images = images().get(NDArrayIndex.interval(0, 6)).dup();
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      DataSet data = labelled(images, type);
      String suffix = "-" + type.name().toLowerCase();

      ComputationGraph graph = graph(type);
      fit(graph, data);
      save(graph, "graph" + suffix);
      numbers(graph.outputSingle(data.getFeatures()), "networks", "graph" + suffix + "-output.npy");
      fit(graph, data);
      numbers(graph.params(), "networks", "graph" + suffix + "-later.npy");

      MultiLayerNetwork layers = layers(type);
      fit(layers, data);
      save(layers, "layers" + suffix);
      numbers(layers.output(data.getFeatures()), "networks", "layers" + suffix + "-output.npy");
      fit(layers, data);
      numbers(layers.params(), "networks", "layers" + suffix + "-later.npy");
    }
  }

  private void save(Model net, String name) throws IOException {
    ModelSerializer.writeModel(net, in("networks", name + ".zip").toFile(), true);
  }

  private static void fit(ComputationGraph net, DataSet data) {
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
  }

  private static void fit(MultiLayerNetwork net, DataSet data) {
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

  /** Every layer, kernel and kind of bandwidth, each in a branch of its own. */
  private static ComputationGraph graph(DataType type) {
    GraphBuilder graph =
        general(type)
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(IMAGE)
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
            kernel(new PolynomialKernel(2, 0.5, 0.1)),
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

  /** The usual head. */
  private static MultiLayerNetwork layers(DataType type) {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            general(type)
                .list()
                .layer(convolution())
                .layer(new KernelAggregationLayer.Builder().build())
                .layer(new SpdTransformLayer.Builder().nOut(3).build())
                .layer(new SpdVectorizationLayer.Builder().powerFloor(0.1).build())
                .layer(output())
                .setInputType(IMAGE)
                .build());
    net.init();
    return net;
  }

  // ---- trainings --------------------------------------------------------------------------------

  private void trainings() throws IOException {
    INDArray images = images();
    TrainingPlan recommended =
        TrainingPlan.recommended().toBuilder()
            .batchSize(4)
            .epochs(Stage.HEAD, 3)
            .epochs(Stage.WHOLE, 2)
            .keep(Keep.LAST)
            .build();
    stopAndFinish("head", DataType.DOUBLE, recommended, images, 2);
    TrainingPlan paper =
        TrainingPlan.paper().toBuilder()
            .batchSize(4)
            .rates(Stage.HEAD, 0.02)
            .rates(Stage.WHOLE, 0.01)
            .epochs(Stage.HEAD, 2)
            .epochs(Stage.WHOLE, 3)
            .build();
    stopAndFinish("whole", DataType.FLOAT, paper, images, 3);
  }

  private static ComputationGraph startingNetwork(DataType type) {
    ComputationGraph net =
        new ComputationGraph(
            general(type)
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(IMAGE)
                .addLayer("conv", convolution(), "in")
                .addLayer("reduction", new ConvolutionLayer.Builder(1, 1).nOut(4).build(), "conv")
                .addLayer(
                    "kernel",
                    new KernelAggregationLayer.Builder()
                        .kernel(new RbfKernel(Bandwidth.meanDistance().learnt()))
                        .build(),
                    "reduction")
                .addLayer("transform", new SpdTransformLayer.Builder().nOut(4).build(), "kernel")
                .addLayer(
                    "transform2", new SpdTransformLayer.Builder().nOut(3).build(), "transform")
                .addLayer(
                    "vector",
                    new SpdVectorizationLayer.Builder()
                        .powerFloor(0.1)
                        .l2Normalization(false)
                        .scale(3)
                        .build(),
                    "transform2")
                .addLayer("out", output(), "vector")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Stops after some epochs. */
  private static final class Stopping implements TrainingProgress {
    private int left;

    Stopping(int epochs) {
      left = epochs;
    }

    @Override
    public void epochDone(EpochRecord record) {
      if (--left == 0) {
        throw new Stop();
      }
    }
  }

  private void stopAndFinish(
      String name, DataType type, TrainingPlan plan, INDArray images, int epochs)
      throws IOException {
    Path start = in("training", name + "-start.zip");
    ModelSerializer.writeModel(startingNetwork(type), start.toFile(), false);
    Path run = in("training", name);
    try {
      train(restored(start), plan, images, run, new Stopping(epochs));
      throw new IllegalStateException("was not stopped");
    } catch (Stop e) {
      // as it should be
    }
    Path copy = Files.createTempDirectory("end");
    copy(run, copy);
    ComputationGraph net = restored(start);
    TrainingResult result = train(net, plan, images, copy, new TrainingProgress() {});
    numbers(net.params(), "training", name + "-end.npy");
    Files.writeString(in("training", name + "-history.json"), result.historyJson());
    if (name.equals("whole")) {
      delete(run.resolve("features")); // stage two does without
    }
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place).sorted(Comparator.reverseOrder())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
  }

  private static ComputationGraph restored(Path start) throws IOException {
    return ModelSerializer.restoreComputationGraph(start.toFile(), false);
  }

  private static TrainingResult train(
      ComputationGraph net,
      TrainingPlan plan,
      INDArray images,
      Path run,
      TrainingProgress progress) {
    return TwoStageTrainer.builder(net, "conv")
        .plan(plan)
        .training(part(images, 0, TRAINING))
        .validation(part(images, TRAINING, ALL))
        .folder(run)
        .progress(progress)
        .build()
        .train();
  }

  private static LabelledImages part(INDArray images, int from, int to) {
    int[] labels = new int[to - from];
    Arrays.setAll(labels, i -> (from + i) % CLASSES);
    return new InMemoryImages(images.get(NDArrayIndex.interval(from, to)).dup(), labels, CLASSES);
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

  // ---- runs -------------------------------------------------------------------------------------

  private static final String[] OPTIONS = {
    "--backbone=random", "--epochs-head=2", "--epochs-whole=2", "--batch=4", "--validation=0.4"
  };
  private static final String[] SEARCH = {"--try=scale 3", "--folds=2"};

  private void finishedRun() throws IOException {
    Path out = in("finished");
    command(OPTIONS, "fine-grained", "folders", data(), "--method=spd", "--out=" + out);
    delete(out.resolve("features"));
    delete(out.resolve("folders_as-foldered_split1_spd_seed1/report.html")); // for humans
  }

  private String data() {
    return dataSets.resolve("foldered").toString();
  }

  /** A run that was stopped, and what came of it in the end. */
  private void stoppedRun() throws IOException {
    Path stopped = in("stopped");
    ExperimentOptions options = new ExperimentOptions();
    new CommandLine(options)
        .parseArgs(joined(joined(OPTIONS, SEARCH), "--method=kernel", "--out=" + stopped));
    try {
      new Experiment(
              Task.FINE_GRAINED,
              DataSetKind.FOLDERS,
              DataSetKind.FOLDERS.read(Path.of(data())),
              List.of(),
              BackboneChoice.of("random").load("", null),
              options,
              Machines.here(),
              run -> new StoppingTheRun())
          .run();
      throw new IllegalStateException("was not stopped");
    } catch (Stop e) {
      // as it should be
    }
    Path end = Files.createTempDirectory("end");
    copy(stopped, end);
    command(
        joined(OPTIONS, SEARCH),
        "fine-grained",
        "folders",
        data(),
        "--method=kernel",
        "--out=" + end);
    delete(stopped.resolve("features")); // large, and soon computed
    Path ended = Files.createDirectories(in("stopped-end"));
    try (Stream<Path> files = Files.walk(end)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.getFileName().toString().matches("predictions.csv|result.json")) {
          Files.copy(file, ended.resolve(file.getFileName()));
        }
      }
    }
  }

  /** Stops in stage one of the run itself, after those of the search. */
  private static final class StoppingTheRun implements TrainingProgress {
    private boolean searched;

    @Override
    public void message(String text) {
      searched |= text.startsWith("takes ");
    }

    @Override
    public void epochDone(EpochRecord record) {
      if (searched && record.stage() == Stage.HEAD && record.epoch() == 1) {
        throw new Stop();
      }
    }
  }

  private static String[] joined(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }

  private static void command(String[] options, String... start) {
    int exit = Commands.line(new Spd()).execute(joined(start, options));
    if (exit != 0) {
      throw new IllegalStateException("exit code " + exit);
    }
  }
}
