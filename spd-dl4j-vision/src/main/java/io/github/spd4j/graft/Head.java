/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.VectorLayer;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.L2NormalizeVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ScaleVertex;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.params.ConvolutionParamInitializer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * What {@link SpdGraft} puts on a backbone, from the feature maps to the vector or the matrix that
 * the classifier sees: a list of {@linkplain Part named layers}.
 *
 * <p>The usual heads differ in one line, so that they can be compared:
 *
 * <pre>{@code
 * Head.spd(512).convolution(512).identityStart().scale(10)                // the paper's
 * Head.kernelOnly().convolution(512)                                      // K and nothing else
 * Head.spdRoot(256).convolution(512).identityStart().scale(10)            // ours, matrix root
 * Head.covarianceRoot().convolution(256).scale(10)                        // iSQRT-COV
 * Head.logEuclidean().convolution(64).scale(10)                           // log K
 * Head.spdNet(64).convolution(128).scale(10)                              // SPDNet
 * Head.bilinear().scale(10)                                               // B-CNN
 * Head.deepTen().convolution(128).batchNormalization()                    // Deep-TEN
 * Head.fisherVectors()                                                    // FV-CNN
 * Head.fisherVectors(128).withFullyConnected()                            // FV-FC-CNN
 * Head.compactBilinear(8192).scale(10)
 * Head.averagePooling()
 * Head.fullyConnected()                                                   // VGG16 as it was
 * }</pre>
 *
 * <p>Each is a list that can be changed, and {@link #of} makes one of any layers:
 *
 * <pre>{@code
 * Head.spdNet(64)
 *     .with(LogEigLayer.Builder.class, logarithm -> logarithm.floor(1e-3))
 *     .before(SpdGraft.FUNCTION, Part.layer("mine", MyLayer.Builder::new))
 *
 * Head.of(
 *     Part.layer(SpdGraft.AGGREGATION, KernelAggregationLayer.Builder::new),
 *     Part.layer("mine", MyLayer.Builder::new),
 *     Part.layer(SpdGraft.VECTOR, SpdVectorizationLayer.Builder::new))
 * }</pre>
 *
 * <p>A head does not change: each method returns another one. What does not fit is refused at once,
 * but for sizes that depend on the backbone.
 */
public final class Head extends ReadyHeads {

  /** Larger steps cost some points where no normalisation makes up for them. */
  private static final double SMALL_RATE = 3e-4;

  private final List<Part> parts;
  private final Supplier<? extends BaseOutputLayer.Builder<?>> classifier;

  private Head(List<Part> parts, Supplier<? extends BaseOutputLayer.Builder<?>> classifier) {
    this.parts = List.copyOf(parts);
    this.classifier = classifier;
    requireOrder();
  }

  /** Refuses a name that stands twice, and an input that does not come before. */
  private void requireOrder() {
    Validate.isTrue(!parts.isEmpty(), "expected a head of at least one part, got none");
    Set<String> before = new HashSet<>(Set.of(Backbone.MAPS));
    allParts()
        .forEach(
            part -> {
              Validate.isTrue(
                  before.containsAll(part.inputs),
                  "expected parts before '%s' as its inputs, got %s",
                  part.name,
                  part.inputs);
              Validate.isTrue(
                  !part.name.equals(SpdGraft.CLASSIFIER) && before.add(part.name),
                  "expected parts with names of their own, got another '%s'",
                  part.name);
            });
  }

  private Stream<Part> allParts() {
    return parts.stream().flatMap(Part::all);
  }

  /**
   * A head of any layers and vertices, with a softmax classifier.
   *
   * @param parts in their order, the first on the feature maps and the last before the classifier
   * @return the head
   */
  public static Head of(Part... parts) {
    Part.requireAll(parts, "parts");
    return new Head(
        List.of(parts),
        () -> new OutputLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX));
  }

  /**
   * Begins with a 1×1 convolution and a ReLU, the paper's preprocessing of the feature maps.
   *
   * @param channels the number of its feature maps
   * @return a head whose convolution starts at random
   * @throws IllegalArgumentException if the head has one
   */
  public Head convolution(int channels) {
    Validate.isTrue(
        channels >= 1, "expected a convolution to at least 1 channel, got %s", channels);
    Validate.isTrue(
        !contains(SpdGraft.CONVOLUTION),
        "expected without(SpdGraft.CONVOLUTION) before another convolution(%s), got %s",
        channels,
        this);
    Activation activation =
        contains(SpdGraft.BATCH_NORMALIZATION) ? Activation.IDENTITY : Activation.RELU;
    Part convolution =
        Part.layer(
            SpdGraft.CONVOLUTION,
            () -> new ConvolutionLayer.Builder(1, 1).nOut(channels).activation(activation));
    return inserted(0, 0, convolution);
  }

  /**
   * Starts the convolution as the identity, with bias 0: training sets out from the backbone's own
   * feature maps, or from the first of them if the convolution has fewer. Otherwise it starts at
   * random.
   *
   * @return another head
   */
  public Head identityStart() {
    Validate.isTrue(
        contains(SpdGraft.CONVOLUTION),
        "expected convolution(channels) before identityStart(), got %s",
        this);
    return map(
        part ->
            part.name.equals(SpdGraft.CONVOLUTION) ? part.startingWith(Head::setIdentity) : part);
  }

  /** Refuses an identity whose last rows would be zero: their maps would be zero for ever. */
  private static void setIdentity(Map<String, INDArray> convolution) {
    INDArray w = convolution.get(ConvolutionParamInitializer.WEIGHT_KEY);
    Validate.isTrue(
        w.size(0) <= w.size(1),
        "an identity start needs a convolution to at most %d channels, as many as there are at the"
            + " cut, got %d",
        w.size(1),
        w.size(0));
    convolution.get(ConvolutionParamInitializer.BIAS_KEY).assign(0);
    w.assign(0);
    for (long i = 0; i < w.size(0); i++) {
      w.putScalar(new long[] {i, i, 0, 0}, 1);
    }
  }

  /**
   * Normalises each feature map over the batch, after the 1×1 convolution if there is one, and
   * before the ReLU.
   *
   * @return another head
   */
  public Head batchNormalization() {
    Head linear =
        map(
            part ->
                part.name.equals(SpdGraft.CONVOLUTION)
                    ? part.with(
                        ConvolutionLayer.Builder.class,
                        convolution -> convolution.activation(Activation.IDENTITY))
                    : part);
    List<Part> all = new ArrayList<>(linear.parts);
    all.addAll(
        contains(SpdGraft.CONVOLUTION) ? indexOf(SpdGraft.CONVOLUTION) + 1 : 0,
        List.of(
            Part.layer(SpdGraft.BATCH_NORMALIZATION, BatchNormalization.Builder::new),
            Part.layer(
                SpdGraft.RELU, () -> new ActivationLayer.Builder().activation(Activation.RELU))));
    return new Head(all, classifier);
  }

  /**
   * The kernel, an {@link io.github.spd4j.kernel.RbfKernel} unless set.
   *
   * @param kernel the kernel
   * @return another head
   * @throws IllegalArgumentException if the head has no {@link KernelAggregationLayer}
   */
  public Head kernel(Kernel kernel) {
    Objects.requireNonNull(kernel, "kernel");
    return with(KernelAggregationLayer.Builder.class, layer -> layer.kernel(kernel));
  }

  /**
   * What is added to the diagonal of the kernel matrix.
   *
   * @param epsilon not negative
   * @return another head
   * @throws IllegalArgumentException if the head has no {@link KernelAggregationLayer}
   */
  public Head ridge(double epsilon) {
    return with(KernelAggregationLayer.Builder.class, layer -> layer.ridge(epsilon));
  }

  /**
   * Switches the power normalisation (the signed square root) on or off.
   *
   * @param on whether to normalise
   * @return another head
   * @throws IllegalArgumentException if the head has no layer with normalisations
   */
  public Head powerNormalization(boolean on) {
    return vectors(vector -> vector.powerNormalization(on));
  }

  /**
   * The floor of the power normalisation; see {@link VectorLayer.Builder#powerFloor}.
   *
   * @param floor greater than 0
   * @return another head
   * @throws IllegalArgumentException if the head has no power normalisation
   */
  public Head powerFloor(double floor) {
    Head floored = vectors(vector -> vector.powerFloor(floor));
    Validate.isTrue(
        floored
            .allParts()
            .flatMap(part -> part.layer(VectorLayer.class).stream())
            .anyMatch(VectorLayer::isPowerNormalization),
        "expected powerNormalization(true) before powerFloor(%s), got %s without",
        floor,
        this);
    return floored;
  }

  /**
   * Switches the l2 normalisation on or off.
   *
   * @param on whether to normalise
   * @return another head
   * @throws IllegalArgumentException if the head has no layer with normalisations
   */
  public Head l2Normalization(boolean on) {
    return vectors(vector -> vector.l2Normalization(on));
  }

  /**
   * The factor that the vector is multiplied by at the end; 1 unless set. With the l2 normalisation
   * on, about 10 lets the classifier learn at common rates.
   *
   * @param scale greater than 0
   * @return another head
   * @throws IllegalArgumentException if the head has no layer with normalisations
   */
  public Head scale(double scale) {
    Validate.isTrue(
        !contains(SpdGraft.JOINED),
        "expected scale(%s) before withFullyConnected(), which scales the other vector likewise,"
            + " got it after",
        scale);
    return vectors(vector -> vector.scale(scale));
  }

  private Head vectors(Consumer<VectorLayer.Builder<?>> change) {
    return with(VectorLayer.Builder.class, change::accept);
  }

  /**
   * Joins the vector with that of the backbone's last fully connected layer before its classifier,
   * or, of a backbone without fully connected layers, with the mean of each feature map at the cut.
   * The joined vector has the length 1, times the {@link #scale}.
   *
   * <p>Fully connected layers bind the network to one size of images.
   *
   * @return another head
   * @throws IllegalArgumentException if the head does not end in a layer with normalisations
   */
  public Head withFullyConnected() {
    Part last = last();
    double scale =
        last.layer(VectorLayer.class)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "expected a head that ends in a normalised vector for withFullyConnected(),"
                            + " got "
                            + this))
            .getScale();
    List<Part> all = new ArrayList<>(parts);
    all.add(
        Part.fullyConnected(
            Part.layer(SpdGraft.AVERAGE, () -> new GlobalPoolingLayer.Builder(PoolingType.AVG))
                .from(Backbone.MAPS)));
    all.add(Part.vertex(SpdGraft.UNIT, L2NormalizeVertex::new));
    if (scale != 1) {
      all.add(Part.vertex(SpdGraft.SCALED, () -> new ScaleVertex(scale)));
    }
    all.add(
        Part.vertex(SpdGraft.JOINED, MergeVertex::new)
            .from(last.name, scale == 1 ? SpdGraft.UNIT : SpdGraft.SCALED));
    return new Head(all, classifier);
  }

  /**
   * Adds the logarithm of the kernel matrix to that of the last matrix, a residual connection in
   * the log-Euclidean metric. It needs transforms that keep the size of the matrix.
   *
   * @return another head
   * @throws IllegalArgumentException if the head takes no logarithm
   */
  public Head residual() {
    double floor =
        parts.stream()
            .filter(part -> part.name.equals(SpdGraft.FUNCTION))
            .flatMap(part -> part.layer(LogEigLayer.class).stream())
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        String.format(
                            "expected a head with a LogEigLayer '%s' for residual(), which adds"
                                + " another to it, got %s",
                            SpdGraft.FUNCTION, this)))
            .getFloor();
    String matrix = contains(SpdGraft.SHRINKAGE) ? SpdGraft.SHRINKAGE : SpdGraft.AGGREGATION;
    return after(
        SpdGraft.FUNCTION,
        Part.layer(SpdGraft.RESIDUAL, () -> new LogEigLayer.Builder().floor(floor)).from(matrix),
        Part.vertex(SpdGraft.SUM, () -> new ElementWiseVertex(ElementWiseVertex.Op.Add))
            .from(SpdGraft.FUNCTION, SpdGraft.RESIDUAL));
  }

  /**
   * Changes settings of layers.
   *
   * @param builder the class of their builders, or one that it extends
   * @param change is applied to each such builder
   * @param <B> the class
   * @return another head
   * @throws IllegalArgumentException if no layer of the head has such a builder
   */
  public <B> Head with(Class<B> builder, Consumer<? super B> change) {
    Objects.requireNonNull(builder, "builder");
    Objects.requireNonNull(change, "change");
    Validate.isTrue(
        allParts().anyMatch(part -> part.has(builder)),
        "expected a head with a layer of %s to set, got %s",
        builder.getName().replaceFirst(".*[.]", "").replace("$", "."),
        this);
    return map(part -> part.with(builder, change));
  }

  /**
   * Puts parts before another one.
   *
   * @param name that of the other one
   * @param added in their order
   * @return another head
   */
  public Head before(String name, Part... added) {
    Part.requireAll(added, "added");
    return inserted(indexOf(name), 0, added);
  }

  /**
   * Puts parts after another one.
   *
   * @param name that of the other one
   * @param added in their order
   * @return another head
   */
  public Head after(String name, Part... added) {
    Part.requireAll(added, "added");
    return inserted(indexOf(name) + 1, 0, added);
  }

  /**
   * Puts parts in the place of another one.
   *
   * @param name that of the other one
   * @param added in their order
   * @return another head
   */
  public Head replace(String name, Part... added) {
    Part.requireAll(added, "added");
    return inserted(indexOf(name), 1, added);
  }

  /**
   * Leaves parts out.
   *
   * @param names theirs
   * @return another head
   */
  public Head without(String... names) {
    Part.requireAll(names, "names");
    Head result = this;
    for (String name : names) {
      result = result.inserted(result.indexOf(name), 1);
    }
    return result;
  }

  /**
   * The classifier; a softmax layer unless set.
   *
   * @param builder makes a new builder at each call; the graft sets the number of classes, the
   *     start at zero, and what is said for the classifier there
   * @return another head
   */
  public Head classifier(Supplier<? extends BaseOutputLayer.Builder<?>> builder) {
    Objects.requireNonNull(builder, "builder");
    Objects.requireNonNull(builder.get(), "builder: a supplier of null").build();
    return new Head(parts, builder);
  }

  /**
   * The parts in their order.
   *
   * @return a list that does not change
   */
  public List<Part> parts() {
    return parts;
  }

  /**
   * {@link TrainingPlan#recommended()} for this head: a convolution that starts with random weights
   * has a smaller rate in stage one if a vector without l2 normalisation follows, the means of the
   * maps or the entries of a kernel matrix.
   *
   * @return the plan
   */
  public TrainingPlan recommendedPlan() {
    TrainingPlan plan = TrainingPlan.recommended();
    return wantsSmallSteps()
        ? plan.toBuilder().rate(Stage.HEAD, LayerGroup.CONVOLUTION, SMALL_RATE).build()
        : plan;
  }

  /** Whether large steps of a convolution that starts at random change the length of the vector. */
  private boolean wantsSmallSteps() {
    Part first = parts.get(0);
    boolean isMean = last().layer(GlobalPoolingLayer.class).isPresent();
    return first.name.equals(SpdGraft.CONVOLUTION)
        && !first.startsAsSaid()
        && (isMean
            || last().layer(VectorLayer.class).filter(v -> !v.isL2Normalization()).isPresent());
  }

  private Part last() {
    return parts.get(parts.size() - 1);
  }

  /** The last vertex of the backbone that is kept. */
  String lastKept(FeatureMaps maps) {
    boolean keepsMore = parts.stream().anyMatch(Part.OfBackbone.class::isInstance);
    return keepsMore ? FullyConnected.last(maps) : maps.layer();
  }

  /** Puts the layers on, up to what the classifier sees. */
  void addTo(HeadBuilder builder) {
    parts.forEach(part -> part.addTo(builder));
  }

  /** A builder of the classifier, which gets its size from the graft. */
  BaseOutputLayer.Builder<?> classifier() {
    return classifier.get();
  }

  /** Sets first parameters that no random initialisation gives. */
  void start(ComputationGraph net) {
    parts.forEach(part -> part.start(net));
  }

  private boolean contains(String name) {
    return parts.stream().anyMatch(part -> part.name.equals(name));
  }

  private int indexOf(String name) {
    Objects.requireNonNull(name, "name");
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).name.equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("expected a head with a part '" + name + "', got " + this);
  }

  private Head inserted(int index, int removed, Part... added) {
    List<Part> all = new ArrayList<>(parts);
    all.subList(index, index + removed).clear();
    all.addAll(index, Arrays.asList(added));
    return new Head(all, classifier);
  }

  private Head map(UnaryOperator<Part> change) {
    return new Head(parts.stream().map(change).collect(Collectors.toList()), classifier);
  }

  @Override
  public String toString() {
    return Stream.concat(
            parts.stream().map(Part::toString),
            Stream.of(SpdGraft.CLASSIFIER + ": " + name(classifier().build())))
        .collect(Collectors.joining(", ", "Head[", "]"));
  }

  private static String name(Layer layer) {
    return layer.getClass().getSimpleName();
  }
}
