/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.GoogLeNet;
import io.github.spd4j.backbones.Resnet50V2;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.experiments.GraftedNetwork;
import io.github.spd4j.experiments.HeadSettings;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.onnx.Rehearsal;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.onnx.OnnxBackbone;
import io.github.spd4j.onnx.OnnxExport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** Compares networks with their ONNX files, both ways; {@code benchmarks/exports} runs it. */
final class Exports {

  private static final int IMAGES = 16;
  private static final int CLASSES = 10;

  private Exports() {}

  public static void main(String[] words) throws IOException {
    Path results = Path.of(words[0]);
    ImageDataSet pictures = DataSetKind.FOLDERS.read(Path.of(words[1]));
    Path googlenet = Path.of(words[2]);
    Path resnet = Path.of(words[3]);
    methods(results.resolve("onnx-methods.tsv"), pictures, GoogLeNet.load(googlenet));
    Map<String, Backbone> ours =
        Map.of(
            "googlenet", GoogLeNet.load(googlenet, GoogLeNet.FINE_GRAINED),
            "resnet50v2", Resnet50V2.load(resnet));
    backbones(results.resolve("onnx-backbones.tsv"), pictures, Path.of(words[4]), ours);
  }

  private static INDArray photographs(ImageDataSet set, PixelFormat pixels, int size) {
    List<ImageFile> all = set.images();
    List<ImageFile> some =
        IntStream.range(0, IMAGES).mapToObj(i -> all.get(i * (all.size() / IMAGES))).toList();
    FileImages images =
        new FileImages(some, set.classes().size(), Views.PLAIN, size, pixels, 1);
    INDArray[] each =
        IntStream.range(0, IMAGES).mapToObj(images::image).toArray(INDArray[]::new);
    return Nd4j.concat(0, each);
  }

  private static String relative(INDArray expected, INDArray actual) {
    double largest = expected.amaxNumber().doubleValue();
    double difference = expected.sub(actual).amaxNumber().doubleValue();
    return String.format(Locale.ROOT, "%.1e", difference / largest);
  }

  /** The largest difference of a probability, for each method; or who refuses it. */
  private static void methods(Path results, ImageDataSet set, Backbone backbone)
      throws IOException {
    INDArray images = photographs(set, backbone.pixels(), backbone.size());
    List<String> names = IntStream.range(0, CLASSES).mapToObj(i -> "class " + i).toList();
    List<String> lines = new ArrayList<>(List.of("key\tfile\tdifference"));
    Path file = Files.createTempFile("model", ".onnx");
    for (Method method : Method.values()) {
      ComputationGraph net =
          GraftedNetwork.graft(method, new HeadSettings(), backbone, CLASSES, 1);
      INDArray weights = net.getOutputLayer(0).getParam("W");
      weights.assign(Nd4j.randn(weights.dataType(), weights.shape()));
      Stream.of(net.getLayers())
          .filter(layer -> layer.conf().getLayer() instanceof FisherVectorLayer)
          .forEach(Exports::fit);
      beUnsure(net, images, weights);
      String line;
      try {
        OnnxExport.of(net, backbone.card(names, Views.PLAIN)).write(file);
        INDArray expected = net.outputSingle(images);
        INDArray actual = Rehearsal.run(file, images, false);
        double difference = expected.sub(actual).amaxNumber().doubleValue();
        line = String.format(Locale.ROOT, "%s\texported\t%.1e", method.key(), difference);
      } catch (UnsupportedOperationException e) {
        line = method.key() + "\trefused\t";
      }
      System.out.println(line);
      lines.add(line);
    }
    Files.delete(file);
    Files.write(results, lines);
  }

  /** Probabilities of 0 and 1 would be the same, whatever is computed. */
  private static void beUnsure(ComputationGraph net, INDArray images, INDArray weights) {
    double largest = net.outputSingle(images).max(1).meanNumber().doubleValue();
    while (!(largest >= 0.3 && largest <= 0.8)) {
      weights.muli(largest > 0.8 ? 0.5 : 1.4);
      largest = net.outputSingle(images).max(1).meanNumber().doubleValue();
    }
  }

  /** Any mixture will do. */
  private static void fit(Layer fisherVector) {
    Map<String, INDArray> mixture = fisherVector.paramTable();
    mixture
        .values()
        .forEach(each -> each.assign(Nd4j.rand(each.dataType(), each.shape()).add(0.2)));
    INDArray shares = mixture.get("weights");
    shares.divi(shares.sumNumber());
  }

  /** Differences of features from PyTorch's, and from those of our own graphs, of the largest. */
  private static void backbones(
      Path results, ImageDataSet set, Path folder, Map<String, Backbone> ours) throws IOException {
    List<String> lines =
        new ArrayList<>(List.of("Network\tMaps\tFrom PyTorch's\tFrom DL4J's, on photographs"));
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> file.toString().endsWith(".onnx")).sorted().toList();
    }
    for (Path file : files) {
      String name = file.getFileName().toString().replace(".onnx", "");
      JsonNode expected = new ObjectMapper().readTree(folder.resolve(name + ".json").toFile());
      int size = expected.get("size").asInt();
      Backbone backbone = OnnxBackbone.load(file);
      INDArray image =
          Transforms.sin(
              Nd4j.arange(3 * size * size).castTo(DataType.FLOAT).div(10).reshape(1, 3, size, size));
      INDArray maps = backbone.net().outputSingle(image);
      double[] numbers = new double[(int) maps.length()];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = expected.get("maps").get(i).asDouble();
      }
      INDArray theirs = Nd4j.createFromArray(numbers).castTo(DataType.FLOAT).reshape(maps.shape());
      String beside = "–";
      if (ours.containsKey(name)) {
        Backbone own = ours.get(name);
        INDArray photographs = photographs(set, own.pixels(), size);
        INDArray of = own.net().feedForward(photographs, false).get(own.cut());
        beside = relative(of, backbone.net().outputSingle(photographs));
      }
      String shape = maps.size(1) + "×" + maps.size(2) + "×" + maps.size(3);
      lines.add(String.join("\t", "`" + name + "`", shape, relative(theirs, maps), beside));
      System.out.println(lines.get(lines.size() - 1));
    }
    Files.write(results, lines);
  }
}
