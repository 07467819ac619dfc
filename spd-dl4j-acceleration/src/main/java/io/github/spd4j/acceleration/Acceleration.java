/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.dl4j.WrappedLayers;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.impl.LayerVertex;
import org.deeplearning4j.nn.layers.OutputLayer;
import org.deeplearning4j.nn.layers.convolution.ConvolutionHelper;
import org.deeplearning4j.nn.layers.convolution.ConvolutionLayer;
import org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingLayer;
import org.deeplearning4j.nn.layers.mkldnn.MKLDNNConvHelper;
import org.deeplearning4j.nn.layers.normalization.LocalResponseNormalization;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.api.buffer.DataType;

/**
 * Lets the convolutions of a network use a fast library that DL4J by itself does not: on a CPU the
 * one that ND4J's backend was built with, the Arm Compute Library on ARM, oneDNN on x86 (in the
 * backend's {@code onednn} builds), and elsewhere its BLAS; on an NVIDIA GPU, with {@code
 * spd-dl4j-cuda} on the class path, cuDNN 8, for poolings as well, or cuBLAS where that is not
 * installed or {@code -Dspd4j.cudnn=false} forbids it.
 *
 * <pre>{@code
 * Acceleration acceleration = Acceleration.applyTo(net);
 * log.info("{}", acceleration);   // Arm Compute Library for 10 of 10 convolutions
 * }</pre>
 *
 * <p>Local response normalisations, as in AlexNet and GoogLeNet, are computed in one pass of our
 * own, on the CPU and on a GPU. Output layers multiply by their weights with all threads even where
 * there are few classes and the vectors are long, as behind an SPD head.
 *
 * <p>Results stay the same to rounding; a {@link Precision} may allow more of it. There is one
 * exception: DL4J's gradient of a local response normalisation is wrong where its α is large, and
 * becomes right. Nothing changes in networks of other types than FLOAT, for a layer that has a
 * helper already, or on a GPU without {@code spd-dl4j-cuda}.
 *
 * <p>It is a property of the network in memory. Clones keep it, and so does transfer learning for
 * the layers that it takes over. A network that is made from a file or from JSON does not have it:
 * apply it again after loading. DL4J's ParallelWrapper and ParallelInference make their copies from
 * JSON, too.
 *
 * <p>If the library fails in a convolution, a pooling or a normalisation, a warning is logged, and
 * DL4J computes that layer by itself from then on: the results are right, but slow. Call this
 * method again to see how many convolutions still use the library. A convolution that was built
 * with {@code helperAllowFallback(false)} throws instead.
 */
public final class Acceleration {

  private final NativeLibrary library;
  private final int accelerated;
  private final int convolutions;

  private Acceleration(NativeLibrary library, int accelerated, int convolutions) {
    this.library = library;
    this.accelerated = accelerated;
    this.convolutions = convolutions;
  }

  /**
   * Accelerates a network as far as possible, in the precision that it has: at first FLOAT.
   *
   * @param net an initialised network; its parameters are not changed, nor what its configuration
   *     says
   * @return what was found and done
   */
  public static Acceleration applyTo(ComputationGraph net) {
    return applyTo(net, precisionOf(net));
  }

  /**
   * Accelerates a network as far as possible.
   *
   * @param net an initialised network; its parameters are not changed, nor what its configuration
   *     says
   * @param precision how exactly its convolutions compute from now on, where the card can
   * @return what was found and done
   */
  public static Acceleration applyTo(ComputationGraph net, Precision precision) {
    Objects.requireNonNull(net, "net");
    Objects.requireNonNull(precision, "precision");
    return applyTo(net, NativeLibrary.ofBackend(precision));
  }

  /**
   * Accelerates a network as far as possible, in the precision that it has: at first FLOAT.
   *
   * @param net an initialised network; its parameters are not changed, nor what its configuration
   *     says
   * @return what was found and done
   */
  public static Acceleration applyTo(MultiLayerNetwork net) {
    return applyTo(net, precisionOf(net));
  }

  /**
   * Accelerates a network as far as possible.
   *
   * @param net an initialised network; its parameters are not changed, nor what its configuration
   *     says
   * @param precision how exactly its convolutions compute from now on, where the card can
   * @return what was found and done
   */
  public static Acceleration applyTo(MultiLayerNetwork net, Precision precision) {
    Objects.requireNonNull(net, "net");
    Objects.requireNonNull(precision, "precision");
    return applyTo(net, NativeLibrary.ofBackend(precision));
  }

  static Acceleration applyTo(ComputationGraph net, NativeLibrary library) {
    List<NeuralNetConfiguration> configurations =
        net.getConfiguration().getVertices().values().stream()
            .map(WrappedLayers::layerOf)
            .filter(Objects::nonNull)
            .collect(Collectors.toList());
    DataType type = net.getConfiguration().getDataType();
    Map<Layer, Layer> successors = successors(net.getLayers(), library, type);
    Arrays.stream(net.getVertices())
        .filter(LayerVertex.class::isInstance)
        .map(LayerVertex.class::cast)
        .forEach(
            vertex ->
                vertex.setLayer(successors.getOrDefault(vertex.getLayer(), vertex.getLayer())));
    return apply(library, type, net.getLayers(), configurations);
  }

  /** Accelerates the layers of a network; those that others take the place of are replaced. */
  private static Map<Layer, Layer> successors(
      Layer[] layers, NativeLibrary library, DataType type) {
    Map<Layer, Layer> successors = new IdentityHashMap<>();
    for (int i = 0; i < layers.length; i++) {
      Layer within = WrappedLayers.unwrapped(layers[i]);
      Layer accelerated = accelerate(within, library, type);
      if (within == layers[i]) { // a wrapper keeps the layer that it has
        successors.put(within, accelerated);
        layers[i] = accelerated;
      }
    }
    return successors;
  }

  static Acceleration applyTo(MultiLayerNetwork net, NativeLibrary library) {
    DataType type = net.getLayerWiseConfigurations().getDataType();
    List<NeuralNetConfiguration> configurations = net.getLayerWiseConfigurations().getConfs();
    Map<Layer, Layer> successors = successors(net.getLayers(), library, type);
    @SuppressWarnings("unchecked")
    Map<String, Layer> byName =
        (Map<String, Layer>)
            LayerFields.get(LayerFields.field(MultiLayerNetwork.class, "layerMap"), net);
    byName.replaceAll((name, layer) -> successors.getOrDefault(layer, layer));
    return apply(library, type, net.getLayers(), configurations);
  }

  private static Acceleration apply(
      NativeLibrary library,
      DataType type,
      Layer[] layers,
      Collection<NeuralNetConfiguration> configurations) {
    List<ConvolutionLayer> convolutions = convolutionsAmong(layers);
    if (library.supports(type)) {
      for (NeuralNetConfiguration configuration : configurations) {
        configuration.setLayer(
            WrappedLayers.replaced(
                configuration.getLayer(), layer -> AcceleratedConfigurations.of(layer, library)));
      }
    }
    long accelerated = convolutions.stream().filter(Acceleration::isAccelerated).count();
    return new Acceleration(library, (int) accelerated, convolutions.size());
  }

  /**
   * Gives a layer what computes it, unless it has a helper of this precision, or not of ours, or
   * its network is of a type that the library has nothing for. Subclasses of DL4J's layers are left
   * alone: they do other things with a helper.
   *
   * @return the layer, or the one that takes its place: DL4J gives an output layer no helper
   */
  static Layer accelerate(Layer layer, NativeLibrary library, DataType type) {
    boolean other = precisionOf(layer).filter(own -> own != library.precision()).isPresent();
    if (!library.supports(type) || layer.getHelper() != null && !other) {
      return layer;
    }
    if (layer.getClass() == ConvolutionLayer.class) {
      install(library.helper((ConvolutionLayer) layer), (ConvolutionLayer) layer);
    } else if (layer.getClass() == SubsamplingLayer.class) {
      LayerFields.set(
          LayerFields.field(SubsamplingLayer.class, "helper"), layer, library.poolingHelper());
    } else if (layer.getClass() == LocalResponseNormalization.class
        && AcceleratedConfigurations.hasChannelsFirst(
            WrappedLayers.unwrapped(layer.conf().getLayer()))) {
      LayerFields.set(
          LayerFields.field(LocalResponseNormalization.class, "helper"),
          layer,
          new ResponseNormalization(Backend.current().algebra()));
    } else if (layer.getClass() == OutputLayer.class) {
      return LayerFields.copied(
          layer, new AcceleratedOutputLayer(layer.conf(), type, Backend.current().algebra()));
    }
    return layer;
  }

  /**
   * Whether a network is accelerated.
   *
   * @param net an initialised network
   * @return true if any of its convolutions or output layers is
   */
  public static boolean isAppliedTo(ComputationGraph net) {
    Objects.requireNonNull(net, "net");
    return isAppliedTo(net.getLayers());
  }

  /**
   * Whether a network is accelerated.
   *
   * @param net an initialised network
   * @return true if any of its convolutions or output layers is
   */
  public static boolean isAppliedTo(MultiLayerNetwork net) {
    Objects.requireNonNull(net, "net");
    return isAppliedTo(net.getLayers());
  }

  /**
   * How exactly the convolutions of a network compute.
   *
   * @param net an initialised network
   * @return what it was accelerated with and the card could; FLOAT for any other
   */
  public static Precision precisionOf(ComputationGraph net) {
    Objects.requireNonNull(net, "net");
    return precisionOf(net.getLayers());
  }

  /**
   * How exactly the convolutions of a network compute.
   *
   * @param net an initialised network
   * @return what it was accelerated with and the card could; FLOAT for any other
   */
  public static Precision precisionOf(MultiLayerNetwork net) {
    Objects.requireNonNull(net, "net");
    return precisionOf(net.getLayers());
  }

  private static Precision precisionOf(Layer[] layers) {
    return Arrays.stream(layers)
        .map(WrappedLayers::unwrapped)
        .map(Acceleration::precisionOf)
        .flatMap(Optional::stream)
        .max(Comparator.naturalOrder())
        .orElse(Precision.FLOAT);
  }

  /** That of a convolution by a device, whose helper is exchanged for another precision. */
  private static Optional<Precision> precisionOf(Layer layer) {
    return Optional.ofNullable(layer.getHelper())
        .filter(DeviceConvolution.class::isInstance)
        .map(helper -> ((DeviceConvolution) helper).precision());
  }

  private static boolean isAppliedTo(Layer[] layers) {
    return convolutionsAmong(layers).stream().anyMatch(Acceleration::isAccelerated)
        || Arrays.stream(layers)
            .map(WrappedLayers::unwrapped)
            .anyMatch(AcceleratedOutputLayer.class::isInstance);
  }

  private static List<ConvolutionLayer> convolutionsAmong(Layer[] layers) {
    return among(layers, ConvolutionLayer.class);
  }

  private static <T extends Layer> List<T> among(Layer[] layers, Class<T> type) {
    return Arrays.stream(layers)
        .map(WrappedLayers::unwrapped)
        .filter(
            layer -> layer.getClass() == type) // not subclasses: they do other things with a helper
        .map(type::cast)
        .collect(Collectors.toList());
  }

  private static boolean isAccelerated(ConvolutionLayer layer) {
    boolean hasHelper =
        layer.getHelper() instanceof AbstractConvolutionHelper
            || layer.getHelper() instanceof MKLDNNConvHelper;
    return hasHelper && failures(layer) == 0;
  }

  /** How often DL4J had to do without the helper because it failed. */
  static int failures(ConvolutionLayer layer) {
    return (int)
        LayerFields.get(LayerFields.field(ConvolutionLayer.class, "helperCountFail"), layer);
  }

  /** DL4J makes its helpers itself, by fixed names, so there is no other way in. */
  static void install(ConvolutionHelper helper, ConvolutionLayer layer) {
    LayerFields.set(LayerFields.field(ConvolutionLayer.class, "helper"), layer, helper);
  }

  /**
   * How many convolutions have the library at hand, and did not see it fail. What it cannot do,
   * such as images with the channels last, they still leave to DL4J.
   *
   * @return at most {@link #convolutions()}
   */
  public int accelerated() {
    return accelerated;
  }

  /**
   * How many convolutions the network has.
   *
   * @return the number of convolution layers
   */
  public int convolutions() {
    return convolutions;
  }

  /**
   * How exactly the convolutions compute.
   *
   * @return what was asked for, or FLOAT where the card has nothing for it
   */
  public Precision precision() {
    return library.precision();
  }

  /** One line for people: what was found and done. */
  @Override
  public String toString() {
    return library + " for " + accelerated + " of " + convolutions + " convolutions";
  }
}
