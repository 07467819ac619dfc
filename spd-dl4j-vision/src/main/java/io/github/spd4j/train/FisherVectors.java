/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.encoding.DescriptorSample;
import io.github.spd4j.encoding.ExpectationMaximization;
import io.github.spd4j.encoding.FitProgress;
import io.github.spd4j.encoding.MixtureFit;
import io.github.spd4j.encoding.PrincipalComponents;
import io.github.spd4j.internal.dl4j.Subgraph;
import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.internal.images.Unmasked;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.LabelledImages;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;

/**
 * Fits principal components and Gaussian mixture of a network's {@link FisherVectorLayer} to
 * training images, and stores them in its parameters.
 *
 * <pre>{@code
 * ComputationGraph net =
 *     SpdGraft.onto(Vgg16.pretrained()).head(Head.fisherVectors()).classes(47).build();
 * FisherVectors.of(net).seed(1).fit(trainingImages);
 * }</pre>
 *
 * <p>Descriptors are drawn at random from all positions of all images, and all of them with the
 * same probability. Nothing else of the network changes. The same network, images and seed give the
 * same parameters.
 */
public final class FisherVectors {

  private static final int DESCRIPTORS = 1000;
  private static final int BATCH = 16;

  private final ComputationGraph net;
  private final String name;
  private final FisherVectorLayer layer;
  private int descriptors = DESCRIPTORS;
  private long seed;
  private FitProgress progress = FitProgress.NONE;

  private FisherVectors(ComputationGraph net, String name) {
    this.net = net;
    this.name = name;
    this.layer = (FisherVectorLayer) net.getLayer(name).conf().getLayer();
  }

  /**
   * Whether a network has a layer of Fisher vectors, which are to be fitted before it is trained.
   *
   * @param net an initialised network
   * @return whether there is one
   */
  public static boolean areIn(ComputationGraph net) {
    Objects.requireNonNull(net, "net");
    return !layers(net).isEmpty();
  }

  private static List<String> layers(ComputationGraph net) {
    return Arrays.stream(net.getVertices())
        .filter(GraphVertex::hasLayer)
        .filter(vertex -> vertex.getLayer().conf().getLayer() instanceof FisherVectorLayer)
        .map(GraphVertex::getVertexName)
        .collect(Collectors.toList());
  }

  /**
   * The fit of a network's only layer of Fisher vectors.
   *
   * @param net an initialised network with one input
   * @return a fit to be run
   */
  public static FisherVectors of(ComputationGraph net) {
    Objects.requireNonNull(net, "net");
    List<String> names = layers(net);
    if (names.size() != 1) {
      throw new IllegalArgumentException(
          "expected a network with one FisherVectorLayer, got " + names.size() + " " + names);
    }
    return new FisherVectors(net, names.get(0));
  }

  /**
   * How many descriptors are drawn for each component; {@value #DESCRIPTORS} unless set. The sample
   * lies in memory.
   *
   * @param number at least 1
   * @return this fit
   */
  public FisherVectors descriptorsPerComponent(int number) {
    if (number < 1) {
      throw new IllegalArgumentException(
          "expected at least 1 descriptor for each component, got " + number);
    }
    this.descriptors = number;
    return this;
  }

  /**
   * The seed of the sample and of the mixture's start; 0 unless set.
   *
   * @param seed the seed
   * @return this fit
   */
  public FisherVectors seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * The listener for the progress of the fit; none unless set.
   *
   * @param progress the listener
   * @return this fit
   */
  public FisherVectors progress(FitProgress progress) {
    this.progress = progress;
    return this;
  }

  /**
   * Fits to images.
   *
   * @param images training images
   * @return the mixture and how the fit went
   */
  public MixtureFit fit(LabelledImages images) {
    Sampler sampler = new Sampler(net);
    ImageBatches batches = ImageBatches.ofImages(images, net, BATCH);
    try (ReadAhead<INDArray> ahead = batches.ahead(batches.inOrder())) {
      ahead.forEachRemaining(sampler::add);
    }
    return fit(sampler);
  }

  /**
   * Fits to features of images, which the network's backbone has computed before.
   *
   * @param features features of training images
   * @return the mixture and how the fit went
   */
  public MixtureFit fit(Features features) {
    Sampler sampler = new Sampler(new BackboneAndHead(net).detachedHead());
    for (int start = 0; start < features.size(); start += BATCH) {
      int end = Math.min(features.size(), start + BATCH);
      sampler.add(features.batch(IntStream.range(start, end).toArray()));
    }
    return fit(sampler);
  }

  /**
   * Fits to images.
   *
   * @param images training images, read from where the iterator is to its end; their labels are not
   *     used
   * @return the mixture and how the fit went
   * @throws IllegalArgumentException if they have masks
   */
  public MixtureFit fit(DataSetIterator images) {
    Sampler sampler = new Sampler(net);
    while (images.hasNext()) {
      sampler.add(Unmasked.features(images.next()));
    }
    return fit(sampler);
  }

  private MixtureFit fit(Sampler sampler) {
    try {
      INDArray sample = sampler.sample.descriptors();
      int dimensions = layer.getDimensions() == 0 ? sample.columns() : layer.getDimensions();
      PrincipalComponents components = PrincipalComponents.of(sample, dimensions);
      MixtureFit fit =
          new ExpectationMaximization()
              .components(layer.getComponents())
              .seed(seed)
              .progress(progress)
              .fit(components.project(sample));
      FisherVectorLayer.store(net.getLayer(name), components, fit.mixture());
      return fit;
    } catch (NotFiniteException e) {
      throw new NotFiniteException(refusal(e));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(refusal(e), e);
    }
  }

  private String refusal(Exception e) {
    return layer.describe() + ": cannot be fitted to these images: " + e.getMessage();
  }

  /** Takes the descriptors of images at the layer's input. */
  private final class Sampler {
    private final DescriptorSample sample;
    private final ComputationGraph backbone;
    private long images;

    /** Takes them from a network that has the layer. */
    Sampler(ComputationGraph source) {
      sample = new DescriptorSample(Math.multiplyExact(descriptors, layer.getComponents()), seed);
      String input = source.getConfiguration().getVertexInputs().get(name).get(0);
      backbone = Subgraph.upTo(source, input);
    }

    void add(INDArray inputs) {
      INDArray batch = inputs.castTo(net.getConfiguration().getDataType());
      try {
        sample.add(layer.descriptorsOf(backbone.outputSingle(false, batch)));
      } catch (NotFiniteException e) {
        throw new NotFiniteException(refusal(e));
      }
      images += batch.size(0);
      progress.imagesDone(images, sample.seen());
    }
  }
}
