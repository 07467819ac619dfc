/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.cli.Main;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.experiments.BackboneChoice;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.Engine;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.onnx.OnnxExport;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.predictions.PreparedImage;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.progress.TrainingProgress;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Times the engines; {@code benchmarks/engines} runs it. All sides take turns. */
final class Engines {

  private static final int CLASSES = 10;
  private static final int ROUNDS = 5;
  private static final double SECONDS_OF_A_ROUND = 0.6;
  private static final int CLIENTS = 8;
  private static final int SECONDS_OF_SERVING = 8;
  private static final int MOST_PICTURES = 100;

  private final String threads = System.getenv("OMP_NUM_THREADS");
  private final String name;

  private Engines(String name) {
    this.name = name;
  }

  public static void main(String[] words) throws Exception {
    Engines engines = new Engines(words[0].replaceAll(":.*", ""));
    Path folder = Files.createTempDirectory("engines");
    Backbone backbone =
        words[0].equals("vgg16-random")
            ? Vgg16.random(1, Vgg16.SIZE)
            : BackboneChoice.of(words[0]).load(ExperimentKind.TEXTURE, null, null);
    ComputationGraph net =
        SpdGraft.onto(backbone).head(Head.spdRoot(64).convolution(128)).classes(CLASSES).seed(1).build();
    INDArray weights = net.getParam(SpdGraft.CLASSIFIER + "_W");
    weights.assign(Nd4j.randn(DataType.FLOAT, weights.shape()));
    ModelCard card =
        backbone.card(IntStream.range(0, CLASSES).mapToObj(i -> "class " + i).toList(), Views.PLAIN);
    Path model = folder.resolve("model.zip");
    ImageClassifier.save(net, card, model);
    Path onnx = folder.resolve("model.onnx");
    OnnxExport.of(net, card).write(onnx);
    System.out.println("Work\tBackbone\tThreads\tDL4J\tONNX Runtime in ours\tONNX Runtime alone");
    for (int batch : new int[] {1, 8}) {
      engines.answers(model, onnx, card.size(), batch);
    }
    if (words.length > 1) {
      engines.features(net, Path.of(words[1]), card);
    }
    engines.serving(model, card.size());
    System.exit(0);
  }

  private void print(String work, double... figures) {
    StringBuilder line = new StringBuilder(work + "\t" + name + "\t" + threads);
    for (double figure : figures) {
      line.append(String.format(Locale.ROOT, "\t%.1f", figure));
    }
    System.out.println(line);
  }

  private static byte[] png(int seed, int size) throws Exception {
    BufferedImage picture = new BufferedImage(size, size, BufferedImage.TYPE_INT_RGB);
    Random random = new Random(seed);
    int[] line = new int[8];
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        if (x % 8 == 0 && y % 8 == 0) {
          line[x / 8 % 8] = random.nextInt();
        }
        picture.setRGB(x, y, line[x / 8 % 8]);
      }
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ImageIO.write(picture, "png", bytes);
    return bytes.toByteArray();
  }

  /** Milliseconds for a batch of decoded pictures. */
  private void answers(Path model, Path onnx, int size, int batch) throws Exception {
    List<Callable<?>> sides = new ArrayList<>();
    for (Engine engine : new Engine[] {Engine.DL4J, Engine.ONNXRUNTIME}) {
      ImageClassifier classifier = ImageClassifier.load(model, engine);
      require(classifier.engine() == engine);
      List<PreparedImage> images = new ArrayList<>();
      for (int i = 0; i < batch; i++) {
        images.add(classifier.prepare(new ByteArrayInputStream(png(i, size))));
      }
      sides.add(() -> classifier.classifyTogether(images));
    }
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    options.setIntraOpNumThreads(Integer.parseInt(threads));
    OrtSession session = environment.createSession(onnx.toString(), options);
    FloatBuffer numbers =
        ByteBuffer.allocateDirect(4 * batch * 3 * size * size)
            .order(ByteOrder.nativeOrder())
            .asFloatBuffer();
    Random random = new Random(1);
    while (numbers.hasRemaining()) {
      numbers.put(random.nextFloat() * 200 - 100);
    }
    numbers.flip();
    OnnxTensor images =
        OnnxTensor.createTensor(environment, numbers, new long[] {batch, 3, size, size});
    sides.add(
        () -> {
          try (OrtSession.Result result = session.run(Map.of("images", images))) {
            return result.get(0).getValue();
          }
        });
    print("batch of " + batch + ", ms", medians(sides));
  }

  private static double[] medians(List<Callable<?>> sides) throws Exception {
    List<List<Double>> times = new ArrayList<>();
    for (Callable<?> side : sides) {
      times.add(new ArrayList<>());
      round(side); // warms up
    }
    for (int i = 0; i < ROUNDS; i++) {
      for (int side = 0; side < sides.size(); side++) {
        times.get(side).add(round(sides.get(side)));
      }
    }
    times.forEach(Collections::sort);
    return times.stream().mapToDouble(all -> all.get(ROUNDS / 2)).toArray();
  }

  /** Milliseconds of a call, the mean of a round. */
  private static double round(Callable<?> side) throws Exception {
    long start = System.nanoTime();
    double seconds = 0;
    int calls = 0;
    while (seconds < SECONDS_OF_A_ROUND) {
      side.call();
      calls++;
      seconds = (System.nanoTime() - start) / 1e9;
    }
    return 1e3 * seconds / calls;
  }

  /** Seconds for features of photographs, from files on. */
  private void features(ComputationGraph net, Path pictures, ModelCard card) throws Exception {
    ImageDataSet set = DataSetKind.FOLDERS.read(pictures);
    int every = Math.max(1, set.images().size() / MOST_PICTURES);
    FileImages images =
        new FileImages(
            IntStream.range(0, set.images().size() / every)
                .mapToObj(i -> set.images().get(i * every))
                .toList(),
            set.classes().size(),
            Views.PLAIN,
            card.size(),
            card.pixels(),
            1);
    Acceleration.applyTo(net); // as ./spd train does
    double[] seconds = new double[2];
    Engine[] both = {Engine.DL4J, Engine.ONNXRUNTIME};
    for (int round = 0; round < 3; round++) { // the first warms up
      for (int i = 0; i < 2; i++) {
        long start = System.nanoTime();
        FeatureCache.inMemory()
            .computedBy(both[i])
            .features(net, images, 32, new TrainingProgress() {})
            .close();
        seconds[i] = (System.nanoTime() - start) / 1e9;
      }
    }
    print("features of " + images.size() + " photographs, s", seconds);
  }

  /** Answers a second to clients that ask one after the other. */
  private void serving(Path model, int size) throws Exception {
    double[] rates = new double[2];
    double[] memory = new double[2];
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 2; i++) {
        String engine = i == 0 ? "dl4j" : "onnxruntime";
        Process server =
            new ProcessBuilder(
                    System.getProperty("java.home") + "/bin/java",
                    "-Xmx2g",
                    "-Dorg.bytedeco.javacpp.maxphysicalbytes=0",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Main.class.getName(),
                    "serve",
                    model.toString(),
                    "--port=0",
                    "--engine=" + engine)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var out = server.inputReader()) {
          String line = out.readLine();
          while (line != null && !line.contains("http://")) {
            line = out.readLine();
          }
          URI place = URI.create(line.trim()).resolve("/v1/predict");
          rates[i] = Math.max(rates[i], rate(place, size));
          memory[i] = residentMegabytes(server.pid());
        } finally {
          server.destroy();
          server.waitFor();
        }
      }
    }
    print(CLIENTS + " clients of the server, answers a second", rates);
    print("memory of the server, MB", memory);
  }

  private static double residentMegabytes(long process) throws Exception {
    Path status = Path.of("/proc/" + process + "/status");
    for (String line : Files.exists(status) ? Files.readAllLines(status) : List.<String>of()) {
      if (line.startsWith("VmHWM:")) {
        return Double.parseDouble(line.replaceAll("\\D", "")) / 1024;
      }
    }
    return Double.NaN;
  }

  private static double rate(URI place, int size) throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    HttpClient http = HttpClient.newHttpClient();
    long start = System.nanoTime();
    long begin = start + 2_000_000_000L;
    long end = begin + SECONDS_OF_SERVING * 1_000_000_000L;
    List<Future<Integer>> counts = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      HttpRequest request =
          HttpRequest.newBuilder(place)
              .POST(HttpRequest.BodyPublishers.ofByteArray(png(i, size)))
              .build();
      counts.add(
          clients.submit(
              () -> {
                int answers = 0;
                while (System.nanoTime() < end) {
                  require(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200);
                  answers += System.nanoTime() > begin && System.nanoTime() < end ? 1 : 0;
                }
                return answers;
              }));
    }
    int all = 0;
    for (Future<Integer> count : counts) {
      all += count.get();
    }
    clients.shutdown();
    return all / (double) SECONDS_OF_SERVING;
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new AssertionError("not what was to be measured");
    }
  }
}
