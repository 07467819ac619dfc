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
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.models.SafeModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * A backbone by its name on the command line.
 *
 * <table>
 *   <caption>Names</caption>
 *   <tr><td>{@code vgg16}</td><td>VGG-16 with ImageNet weights, downloaded once</td></tr>
 *   <tr><td>{@code vgg16:FILE.zip}</td><td>the same from a model file of DL4J</td></tr>
 *   <tr><td>{@code vgg16:FILE.h5}</td><td>its convolutions from a file of Keras</td></tr>
 *   <tr><td>{@code resnet50}</td><td>ResNet-50 with ImageNet weights, downloaded once</td></tr>
 *   <tr><td>{@code resnet50:FILE.zip}</td><td>the same from a model file of DL4J</td></tr>
 *   <tr><td>{@code resnet50:FILE.h5}</td><td>the same from a file of Keras</td></tr>
 *   <tr><td>{@code graph:FILE.zip}</td><td>any graph that DL4J saved; needs a cut and the format of
 *       its pixels</td></tr>
 *   <tr><td>{@code googlenet:FOLDER}</td><td>GoogLeNet from files of weights</td></tr>
 *   <tr><td>{@code resnet50v2:FILE.npz}</td><td>ResNet-50 v2 up to its third stage, from a file of
 *       NumPy</td></tr>
 *   <tr><td>{@code scattering}</td><td>wavelets, which need no weights: {@link Scattering}</td></tr>
 *   <tr><td>{@code auto}</td><td>{@code vgg16} if it can be had, otherwise {@code scattering}
 *   </td></tr>
 *   <tr><td>{@code random}</td><td>a tiny network with random weights, for tests</td></tr>
 * </table>
 */
public final class BackboneChoice {

  /** The name that leaves the choice to what can be had. */
  static final String AUTO = "auto";

  private static final String PREFERRED = "vgg16";
  private static final String WITHOUT_WEIGHTS = "scattering";

  private static final List<String> KINDS =
      List.of(
          PREFERRED,
          "resnet50",
          "resnet50v2",
          "googlenet",
          "graph",
          WITHOUT_WEIGHTS,
          AUTO,
          "random");

  private static final String EXPECTED =
      "--backbone needs vgg16, vgg16:FILE.zip, vgg16:FILE.h5, resnet50, resnet50:FILE.zip,"
          + " resnet50:FILE.h5, resnet50v2:FILE.npz, googlenet:FOLDER, graph:FILE.zip, scattering,"
          + " auto or random";

  /** How many layers a message names. */
  private static final int NAMED = 6;

  private final String kind;
  private final Path place;
  private final Map<String, Backbone> loaded = new HashMap<>();

  private BackboneChoice(String kind, Path place) {
    this.kind = kind;
    this.place = place;
  }

  /**
   * Reads a name.
   *
   * @param text the name
   * @return the choice
   * @throws UserException if there is no such backbone
   */
  public static BackboneChoice of(String text) {
    int colon = text.indexOf(':');
    String kind = colon < 0 ? text : text.substring(0, colon);
    Path place = colon < 0 ? null : Path.of(text.substring(colon + 1));
    boolean known =
        kind.equals("vgg16")
            || kind.equals("resnet50")
            || List.of(WITHOUT_WEIGHTS, AUTO, "random").contains(kind) && place == null
            || List.of("resnet50v2", "googlenet", "graph").contains(kind) && place != null;
    if (!known) {
      throw new UserException(EXPECTED + ", got " + text + Suggestion.of(kind, KINDS));
    }
    return new BackboneChoice(kind, place);
  }

  /**
   * The size of images unless another is asked for.
   *
   * @return height and width
   */
  public int size() {
    return switch (kind) {
      case "random" -> RandomBackbone.SIZE;
      case WITHOUT_WEIGHTS -> Scattering.SIZE;
      case "resnet50v2" -> Resnet50V2.SIZE;
      default -> GoogLeNet.SIZE;
    };
  }

  /**
   * Reads a name and finds out, for {@code auto}, what can be had.
   *
   * @param text the name
   * @param notice where to say that it is not the backbone that is preferred
   * @return the choice, whose name is not {@code auto}
   * @throws UserException if there is no such backbone
   */
  static BackboneChoice available(String text, Consumer<String> notice) {
    return available(text, () -> of(PREFERRED), notice);
  }

  static BackboneChoice available(
      String text, Supplier<BackboneChoice> preferred, Consumer<String> notice) {
    if (!text.equals(AUTO)) {
      return of(text);
    }
    try {
      BackboneChoice choice = preferred.get();
      choice.load(null, null);
      return choice;
    } catch (UserException e) {
      notice.accept(
          e.getMessage()
              + ". Using scattering, which needs no weights: good for textures, poor for objects");
      return of(WITHOUT_WEIGHTS);
    }
  }

  /**
   * The name on the command line.
   *
   * @return what {@link #of} reads
   */
  String name() {
    return place == null ? kind : kind + ":" + place;
  }

  /**
   * Loads the backbone, once for each place to cut it.
   *
   * @param googLeNetCut where GoogLeNet is cut, unless another cut is given
   * @param cut where to cut instead, or null
   * @param pixels how colours become the numbers that it takes, or null for its usual way
   * @return the backbone
   * @throws UserException if it cannot be had
   */
  public Backbone load(String googLeNetCut, String cut, PixelFormat pixels) {
    String last = kind.equals("googlenet") && cut == null ? googLeNetCut : cut;
    return loaded.computeIfAbsent(last + " " + pixels, name -> loadOnce(last, pixels));
  }

  /**
   * The same with the backbone's usual pixels.
   *
   * @param googLeNetCut where GoogLeNet is cut, unless another cut is given
   * @param cut where to cut instead, or null
   * @return the backbone
   * @throws UserException if it cannot be had
   */
  public Backbone load(String googLeNetCut, String cut) {
    return load(googLeNetCut, cut, null);
  }

  private Backbone loadOnce(String cut, PixelFormat pixels) {
    try {
      Backbone backbone = kind.equals("graph") ? graph(cut, pixels) : usual(cut);
      return pixels == null ? backbone : backbone.withPixels(pixels);
    } catch (IOException | IllegalArgumentException e) {
      throw new UserException("--backbone " + kind + ": " + e.getMessage(), e);
    } catch (UncheckedIOException e) {
      throw new UserException(
          String.format(
              "--backbone %s: %s (here %s:FILE.zip or %s:FILE.h5)",
              kind, e.getMessage(), kind, kind),
          e);
    }
  }

  private Backbone usual(String cut) throws IOException {
    Backbone backbone =
        switch (kind) {
          case "googlenet" -> GoogLeNet.load(place, cut);
          case "random" -> RandomBackbone.build();
          case WITHOUT_WEIGHTS -> Scattering.backbone();
          case "resnet50v2" -> Resnet50V2.load(place);
          case "resnet50" -> read(Resnet50::pretrained, Resnet50::fromZip, Resnet50::fromKeras);
          default -> read(Vgg16::pretrained, Vgg16::fromZip, Vgg16::fromKeras);
        };
    return cut == null || kind.equals("googlenet") ? backbone : backbone.cutAfter(cut);
  }

  private Backbone read(
      Supplier<Backbone> pretrained,
      Function<Path, Backbone> fromZip,
      Function<Path, Backbone> fromKeras) {
    if (place == null) {
      return pretrained.get();
    }
    return place.toString().endsWith(".h5") ? fromKeras.apply(place) : fromZip.apply(place);
  }

  /** A network that we know nothing about. */
  private Backbone graph(String cut, PixelFormat pixels) throws IOException {
    ComputationGraph net = SafeModels.loadGraph(place);
    List<String> cuts = cuts(net);
    if (!cuts.contains(cut)) {
      throw new IllegalArgumentException(
          String.format(
              "expected --cut with a layer of %s that puts out feature maps, the last of which are"
                  + " %s; got %s",
              place,
              String.join(", ", cuts.subList(Math.max(0, cuts.size() - NAMED), cuts.size())),
              cut == null ? "none" : cut + Suggestion.of(cut, cuts)));
    }
    if (pixels == null) {
      throw new IllegalArgumentException(
          "expected --pixels, the numbers that it takes for colours, such as caffe, zero-one or"
              + " torch; got none");
    }
    return new Backbone(place.getFileName().toString(), net, cut, pixels, size());
  }

  /** The layers that can be cut after. */
  private static List<String> cuts(ComputationGraph net) {
    return Stream.of(net.topologicalSortOrder())
        .flatMapToInt(IntStream::of)
        .mapToObj(index -> net.getVertices()[index].getVertexName())
        .filter(name -> hasMaps(net, name))
        .toList();
  }

  private static boolean hasMaps(ComputationGraph net, String vertex) {
    try {
      return SpdGraft.onto(Backbone.of(net, vertex)).featureMaps() > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
