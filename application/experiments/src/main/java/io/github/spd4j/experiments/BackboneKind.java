/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.GoogLeNet;
import io.github.spd4j.backbones.Resnet50;
import io.github.spd4j.backbones.Resnet50V2;
import io.github.spd4j.backbones.Scattering;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.onnx.OnnxBackbone;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The table of backbones on the command line. A new one is a line here. */
enum BackboneKind {
  /** VGG-16 with ImageNet weights. */
  VGG16(
      List.of("", ":FILE.zip", ":FILE.h5", ":FILE.safetensors"),
      asked ->
          asked.weights(
              Vgg16::pretrained, Vgg16::fromZip, Vgg16::fromKeras, Vgg16::fromSafetensors)),

  /** ResNet-50 with ImageNet weights. */
  RESNET50(
      List.of("", ":FILE.zip", ":FILE.h5", ":FILE.safetensors"),
      asked ->
          asked.weights(
              Resnet50::pretrained,
              Resnet50::fromZip,
              Resnet50::fromKeras,
              Resnet50::fromSafetensors)),

  /** ResNet-50 v2 up to its third stage, from a file of NumPy. */
  RESNET50V2(List.of(":FILE.npz"), asked -> Resnet50V2.load(asked.place)),

  /** GoogLeNet from files of weights. */
  GOOGLENET(
      List.of(":FOLDER"),
      asked -> GoogLeNet.load(asked.place, asked.cut),
      Property.CUT_ON_LOADING) {
    @Override
    String usualCut(ExperimentKind kind) {
      return kind == ExperimentKind.FINE_GRAINED ? GoogLeNet.FINE_GRAINED : GoogLeNet.TEXTURES;
    }
  },

  /** Any graph that DL4J saved; needs a cut and the format of its pixels. */
  GRAPH(List.of(":FILE.zip"), asked -> ForeignGraph.load(asked.place, asked.cut, asked.pixels)),

  /** Any graph in ONNX, frozen; needs a cut unless it ends in feature maps. */
  ONNX(
      List.of(":FILE.onnx"),
      asked -> onnx(asked.place, asked.cut, asked.pixels),
      Property.CUT_ON_LOADING,
      Property.FORWARD_ONLY),

  /** Wavelets, which need no weights. */
  SCATTERING(List.of(""), asked -> Scattering.backbone()),

  /** A tiny network with random weights, for tests. */
  RANDOM(List.of(""), asked -> RandomBackbone.build());

  /** What may follow the word: nothing, or a colon and a file. */
  final List<String> places;

  private final Loader loader;
  private final Set<Property> properties;

  BackboneKind(List<String> places, Loader loader, Property... properties) {
    this.places = places;
    this.loader = loader;
    this.properties = Set.of(properties);
  }

  /** In what a backbone differs from the others. */
  private enum Property {
    /** What loads it cuts it, too. */
    CUT_ON_LOADING,

    /** DL4J cannot train it: it has no backward pass. */
    FORWARD_ONLY
  }

  /** How a backbone comes into memory. */
  private interface Loader {
    Backbone load(Asked asked) throws IOException;
  }

  /** A file that may be damaged. */
  private interface Reader {
    Backbone read(Path file) throws IOException;
  }

  /**
   * What was asked for.
   *
   * @param place the file or folder, or null
   * @param cut where to cut, or null for the usual place
   * @param pixels how colours become the numbers that it takes, or null for its usual way
   */
  record Asked(Path place, String cut, PixelFormat pixels) {

    private Backbone weights(
        Supplier<Backbone> pretrained,
        Function<Path, Backbone> fromZip,
        Function<Path, Backbone> fromKeras,
        Reader fromSafetensors)
        throws IOException {
      if (place == null) {
        return pretrained.get();
      }
      if (place.toString().endsWith(".safetensors")) {
        return fromSafetensors.read(place);
      }
      return place.toString().endsWith(".h5") ? fromKeras.apply(place) : fromZip.apply(place);
    }
  }

  /** The word on the command line. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The word and what may follow it. */
  Stream<String> names() {
    return places.stream().map(place -> word() + place);
  }

  boolean takes(Path place) {
    return places.stream().anyMatch(allowed -> allowed.isEmpty() == (place == null));
  }

  /** Where it is cut for a kind of experiments; null if that makes no difference. */
  String usualCut(ExperimentKind kind) {
    return null;
  }

  /** Loads a backbone that is cut where it was asked for. */
  Backbone load(Asked asked) throws IOException {
    Backbone loaded = loader.load(asked);
    Backbone backbone = asked.pixels == null ? loaded : loaded.withPixels(asked.pixels);
    boolean isCut = asked.cut == null || properties.contains(Property.CUT_ON_LOADING);
    return isCut ? backbone : backbone.cutAfter(asked.cut);
  }

  /** Whether DL4J cannot train it, in stage two either. */
  boolean isForwardOnly() {
    return properties.contains(Property.FORWARD_ONLY);
  }

  private static Backbone onnx(Path place, String cut, PixelFormat pixels) throws IOException {
    Backbone backbone = OnnxBackbone.load(place, cut);
    if (pixels == null && backbone.pixels() == null) {
      throw new IllegalArgumentException(
          "expected --pixels, the numbers that it takes for colours, such as torch, or a file"
              + " named as timm names the network, such as resnet50.a1_in1k.onnx; got neither");
    }
    return backbone;
  }
}
