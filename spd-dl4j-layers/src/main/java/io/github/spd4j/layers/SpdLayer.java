/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Bounds;
import io.github.spd4j.internal.runtime.Counted;
import io.github.spd4j.internal.runtime.DefinitionGraphs;
import io.github.spd4j.internal.runtime.DifferentiatedRuntimeLayer;
import io.github.spd4j.internal.runtime.LayerRules;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.api.layers.LayerConstraint;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.deeplearning4j.nn.conf.memory.LayerMemoryReport;
import org.deeplearning4j.nn.weights.IWeightInit;
import org.deeplearning4j.nn.weights.WeightInitIdentity;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationIdentity;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.regularization.Regularization;
import org.nd4j.shade.jackson.annotation.JsonIgnoreProperties;
import org.nd4j.shade.jackson.annotation.JsonInclude;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * What the layers of this package have in common: they have no parameters to constrain, nor, unless
 * a layer says so, to regularise; they compute in FLOAT or DOUBLE, and they are executed by a
 * runtime layer of their own.
 *
 * <p>They are {@link FeedForwardLayer}s, since only those are reached by {@code setLearningRate} of
 * a network and by a fine-tune configuration, and tell a network's summary their sizes. They have
 * no activation, weight initialisation or weight noise; what a network sets for all its layers
 * passes by.
 */
@JsonIgnoreProperties({
  SpdLayer.ACTIVATION,
  SpdLayer.BIAS_INIT,
  SpdLayer.GAIN_INIT,
  SpdLayer.WEIGHT_INIT,
  SpdLayer.WEIGHT_NOISE,
  SpdLayer.TIME_SERIES,
  SpdLayer.UPDATER,
  "nout" // follows from nIn
})
public abstract class SpdLayer extends FeedForwardLayer {

  private static final long serialVersionUID = 1L;

  // Properties of a FeedForwardLayer that have no meaning here.
  static final String ACTIVATION = "activationFn";
  static final String BIAS_INIT = "biasInit";
  static final String GAIN_INIT = "gainInit";
  static final String WEIGHT_INIT = "weightInitFn";
  static final String WEIGHT_NOISE = "weightNoise";
  static final String TIME_SERIES = "timeDistributedFormat";

  /** Stored as "updater". */
  static final String UPDATER = "iupdater";

  /** Beside what has no meaning, what follows from the rest. */
  private static final String[] NOT_COMPARED = {
    ACTIVATION, BIAS_INIT, GAIN_INIT, WEIGHT_INIT, WEIGHT_NOISE, TIME_SERIES, "layerParams"
  };

  private CNN2DFormat dataFormat;
  private SDLayerParams layerParams;

  SpdLayer(Builder<?> builder) {
    super(builder);
    this.dataFormat = builder.dataFormat;
    if (nIn < 0) {
      throw invalidConfig("nIn > 0", "nIn = " + nIn);
    }
    if (iDropout != null && !input().allows(iDropout)) {
      throw invalidConfig(
          "no dropout but an SpdDropout",
          "dropout, which would leave its input neither symmetric nor definite");
    }
    tellDropout();
  }

  SpdLayer() {} // for Jackson

  /**
   * The size C of the input: the channels of the feature maps, or the rows of the matrix.
   *
   * @return C, or 0 if it was neither set nor inferred from the input type
   */
  @Override
  public final long getNIn() {
    return nIn;
  }

  /**
   * Changes nothing. DL4J's transfer learning calls it where {@code nOutReplace} has changed the
   * layer before: the layers behind this one would not fit, so that the first pass refuses.
   *
   * @param size ignored
   */
  @Override
  public final void setNIn(long size) {
    // see the Javadoc
  }

  /**
   * Is refused: {@code nOutReplace} of DL4J's transfer learning calls it, which can change layers
   * of DL4J alone.
   *
   * @param size ignored
   */
  @Override
  public final void setNOut(long size) {
    resetLayerDefaultConfig();
  }

  /** Takes up the size C of the input, which the parameters follow. */
  @JsonProperty("nin")
  final void takeUpSize(long size) {
    this.nIn = size;
    this.layerParams = null;
  }

  /** The size C of the input. */
  final int inputSize() {
    return Math.toIntExact(nIn);
  }

  /**
   * The size of the output: the rows of the matrix, or the length of the vector.
   *
   * @return the size, or 0 if that of the input is not known
   */
  @Override
  public long getNOut() {
    return nIn == 0 ? 0 : outputSize(nIn);
  }

  /** The size of the output for an input of size C: rows of the matrix, or length of the vector. */
  long outputSize(long size) {
    return size;
  }

  /** What goes in, with what is known of its size. */
  abstract LayerInput input();

  /** What comes out. */
  abstract LayerOutput output();

  /** The size C of an input type. */
  final int sizeOf(InputType inputType) {
    return Math.toIntExact(input().sizeOf(inputType));
  }

  /** Feature maps as {@link #input}. */
  final MapsInput maps() {
    return new MapsInput(this, dataFormat);
  }

  /** Matrices as {@link #input}: the first of some channels. */
  final MatrixInput matrix(int channels) {
    return new MatrixInput(describe(), channels, nIn);
  }

  /** The matrices [N, C, C] of an input or output [N, 1, C, C], in C order. */
  static INDArray matrices(INDArray array) {
    return MatrixInput.matrices(array);
  }

  /** The mask of the output for one of the pixels of the input; null if the layer pools them. */
  INDArray maskOfPixels(INDArray mask) {
    return output() == LayerOutput.MAPS ? mask : null;
  }

  /**
   * Where the channels of feature maps are.
   *
   * @return NCHW or NHWC; null if neither set nor inferred, which means NCHW, and input that fits
   *     both is refused. Null for a layer of matrices, too
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public final CNN2DFormat getDataFormat() {
    return dataFormat;
  }

  @Override
  public final void setNIn(InputType inputType, boolean override) {
    long size = input().sizeOf(inputType);
    if (nIn == 0 || override) {
      takeUpSize(size);
    }
    if (dataFormat == null || override) {
      dataFormat = input().formatOf(inputType);
      tellDropout();
    }
  }

  @Override
  public InputType getOutputType(int layerIndex, InputType inputType) {
    input().requireFit(inputType);
    long size = input().sizeOf(inputType);
    requireSize(size);
    return output().of(outputSize(size), inputType);
  }

  /** Refuses what no array has room for. */
  final void requireSize(long size) {
    try {
      long rows = size == 0 ? 0 : outputSize(size);
      Math.toIntExact(output() == LayerOutput.MATRIX ? Math.multiplyExact(rows, rows) : rows);
    } catch (ArithmeticException e) {
      throw invalidConfig(
          "an output of at most " + Integer.MAX_VALUE + " numbers", "an input of size " + size);
    }
  }

  @Override
  public final InputPreProcessor getPreProcessorForInputType(InputType inputType) {
    return input().preProcessorFor(inputType, getLayerName());
  }

  /**
   * Sets the dropout of the input, as a network does. Where the input is a matrix, a dropout that
   * is no {@link SpdDropout} passes by: without single entries a matrix would be neither symmetric
   * nor definite.
   *
   * @param dropout the dropout, or null for none
   */
  @Override
  public final void setIDropout(IDropout dropout) {
    if (dropout == null || input().allows(dropout)) {
      super.setIDropout(dropout);
      tellDropout();
    }
  }

  private void tellDropout() {
    if (iDropout != null) {
      iDropout = input().told(iDropout);
    }
  }

  /**
   * The names and shapes of the parameters.
   *
   * @return as the layer defines them
   */
  public final SDLayerParams getLayerParams() {
    if (layerParams == null) {
      layerParams = new SDLayerParams();
      defineParameters(layerParams);
    }
    return layerParams;
  }

  /**
   * Defines names and shapes of the parameters.
   *
   * @param params what to add them to
   */
  public void defineParameters(SDLayerParams params) {
    // none
  }

  /**
   * Sets the parameters to their first values.
   *
   * @param params the parameters by name, to be changed
   */
  public void initializeParameters(Map<String, INDArray> params) {
    // none
  }

  /**
   * The forward pass in SameDiff, which tells what the layer computes.
   *
   * @param sd the graph
   * @param input the layer's input
   * @param params the parameters by name
   * @param mask 1 for each pixel of feature maps that counts, 0 elsewhere [N, 1, H, W], whatever
   *     their format; null if all count, as in matrices
   * @return the output
   */
  public abstract SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask);

  @Override
  public final ParamInitializer initializer() {
    return SpdParameters.INSTANCE;
  }

  @Override
  public final boolean isPretrainParam(String paramName) {
    return false;
  }

  /**
   * The updater of the parameters.
   *
   * @return the updater, or null if neither the layer nor a network has set one
   */
  @JsonProperty("updater")
  public final IUpdater getUpdater() {
    return iUpdater;
  }

  @JsonProperty("updater")
  private void restoreUpdater(IUpdater updater) {
    this.iUpdater = updater;
  }

  /**
   * The layers have no activation.
   *
   * @return the identity
   */
  @Override
  public final IActivation getActivationFn() {
    return new ActivationIdentity();
  }

  /**
   * What DL4J would initialise weights with; the layers do that themselves.
   *
   * @return the identity
   */
  @Override
  public final IWeightInit getWeightInitFn() {
    return new WeightInitIdentity();
  }

  /**
   * Whether a parameter is learnt by its gradient. Others are kept with the network all the same:
   * what was fitted, or what passes write into them, such as running statistics.
   *
   * @param param the parameter's name
   * @return false if no gradient, updater or penalty changes it
   */
  public boolean isLearnt(String param) {
    return true;
  }

  /**
   * The updater of a parameter.
   *
   * @param paramName its name
   * @return that of the layer, and none for a parameter that is not learnt
   */
  @Override
  public IUpdater getUpdaterByParam(String paramName) {
    return isLearnt(paramName) ? super.getUpdaterByParam(paramName) : new NoOp();
  }

  @Override
  public List<Regularization> getRegularizationByParam(String paramName) {
    return List.of();
  }

  /** Refuses input of the wrong shape. */
  final void validateInput(INDArray input) {
    input().requireShape(input);
  }

  /** Refuses input by its numbers, as {@link LayerRules#validateNumbers} says. */
  Runnable validateNumbers(INDArray input, Algebra algebra, boolean wasChecked) {
    return input().checked(input, algebra, wasChecked);
  }

  /** Refuses parameters that are not finite, or not where they belong. */
  void validateParams(Map<String, INDArray> params) {
    // none
  }

  /** Refuses an algorithm that would take the parameters away from where they belong. */
  void validateTraining(OptimizationAlgorithm algorithm) {
    // any
  }

  /** Refuses a data type that the layer cannot compute with. */
  final void validateDataType(DataType type) {
    if (type != DataType.FLOAT && type != DataType.DOUBLE) {
      throw invalidConfig("a network of data type FLOAT or DOUBLE", type.toString());
    }
  }

  /**
   * What error messages call the layer: its type and name.
   *
   * @return for example {@code SpdTransformLayer 'spd1'}
   */
  public final String describe() {
    return getClass().getSimpleName() + (layerName == null ? "" : " '" + layerName + "'");
  }

  /**
   * Constraints of the whole network pass by: there is nothing in these layers that they could
   * apply to without destroying it.
   *
   * @param constraints ignored
   */
  @Override
  public final void setConstraints(List<LayerConstraint> constraints) {
    // see the Javadoc
  }

  @Override
  public org.deeplearning4j.nn.api.Layer instantiate(
      NeuralNetConfiguration conf,
      Collection<TrainingListener> trainingListeners,
      int layerIndex,
      INDArray layerParamsView,
      boolean initializeParams,
      DataType networkDataType) {
    requireSound();
    requireKnownSize();
    SpdRuntimeLayer layer = executed(conf, networkDataType, Backend.current());
    layer.setListeners(trainingListeners);
    layer.setIndex(layerIndex);
    layer.setParamsViewArray(layerParamsView);
    layer.setParamTable(initializer().init(conf, layerParamsView, initializeParams));
    return layer;
  }

  /** Refuses settings that make no sense, of a builder as well as of a file. */
  void requireSound() {
    // any
  }

  /** DL4J tells a layer the size of its input only where the network has an input type. */
  private void requireKnownSize() {
    for (long[] shape : getLayerParams().getParamShapes().values()) {
      if (LongStream.of(shape).anyMatch(size -> size < 1)) {
        throw invalidConfig(
            "nIn(C), the size of its input, on the layer, or setInputType(…) on the network, from "
                + "which it is inferred",
            "nIn = " + nIn);
      }
    }
  }

  /** What executes the layer on a backend. */
  final SpdRuntimeLayer executed(NeuralNetConfiguration conf, DataType type, Backend backend) {
    validateDataType(type);
    try (Backend.Pass pass = backend.pass()) {
      SpdRuntimeLayer layer =
          backend.isDefined() ? defined(conf, type, backend) : runtime(conf, type, backend);
      layer.follow(new Rules());
      return layer;
    }
  }

  /** What of the layer its runtime layer asks for. */
  private final class Rules implements LayerRules {

    @Override
    public void validateInput(INDArray input) {
      SpdLayer.this.validateInput(input);
    }

    @Override
    public INDArray maskBehind(INDArray mask) {
      input().requireMask(mask);
      return LayerInput.isOfExamples(mask) ? output().maskOf(mask) : maskOfPixels(mask);
    }

    @Override
    public Counted counted(INDArray mask, INDArray input) {
      return input().counted(mask, input);
    }

    @Override
    public Runnable validateNumbers(INDArray input, Algebra algebra, boolean wasChecked) {
      return SpdLayer.this.validateNumbers(input, algebra, wasChecked);
    }

    @Override
    public void validateParams(Map<String, INDArray> params) {
      SpdLayer.this.validateParams(params);
    }

    @Override
    public void requireFinite(INDArray array, String what) {
      SpdLayer.this.requireFinite(array, what, "; no parameter was changed");
    }

    @Override
    public void validateTraining(OptimizationAlgorithm algorithm) {
      SpdLayer.this.validateTraining(algorithm);
    }

    @Override
    public boolean isLearnt(String param) {
      return SpdLayer.this.isLearnt(param);
    }

    @Override
    public String describe() {
      return SpdLayer.this.describe();
    }
  }

  /**
   * What executes the layer by closed formulas. It is of a class within the layer's own, whose name
   * a network's summary shows.
   */
  abstract SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend);

  /** What executes the layer by its definition, which SameDiff differentiates. */
  SpdRuntimeLayer defined(NeuralNetConfiguration conf, DataType type, Backend backend) {
    DefinitionGraphs graphs = new DefinitionGraphs(this::define, List.of());
    return new DifferentiatedRuntimeLayer(conf, type, backend, graphs);
  }

  /**
   * DL4J's transfer learning calls it when it is to change nIn or nOut, which it can do with layers
   * of its own alone.
   */
  @Override
  public final void resetLayerDefaultConfig() {
    throw new UnsupportedOperationException(
        describe()
            + ": expected a layer of DL4J for nOutReplace or nInReplace, got this one: remove it "
            + "and the layers behind it (removeVertexAndConnections), and add new ones with nIn "
            + "and nOut set");
  }

  @Override
  public LayerMemoryReport getMemoryReport(InputType inputType) {
    InputType output = getOutputType(-1, inputType);
    long parameters = initializer().numParams(this);
    long updaterState = parameters == 0 ? 0 : iUpdater.stateSize(parameters);
    return new LayerMemoryReport.Builder(layerName, getClass(), inputType, output)
        .standardMemory(parameters, updaterState)
        .workingMemory(0, savedElements(inputType), 0, 2 * savedElements(inputType))
        .cacheMemory(0, 0)
        .build();
  }

  /** How many numbers the forward pass of one example makes and keeps, beside its output. */
  abstract long savedElements(InputType inputType);

  /** The definition, as what executes layers asks for it. */
  final SDVariable define(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    return defineLayer(sd, input, params, mask);
  }

  final DL4JInvalidConfigException invalidConfig(String wants, String got) {
    return LayerInput.invalidConfig(describe(), wants, got);
  }

  final DL4JInvalidInputException invalidInput(String wants, INDArray input, String remedy) {
    return new DL4JInvalidInputException(
        String.format(
            "%s: expected input %s, got shape %s%s",
            describe(), wants, Arrays.toString(input.shape()), remedy));
  }

  /** Refuses input, or what was computed of it, that has NaN or infinity. */
  final void requireFiniteInput(INDArray seen) {
    // The sum is faster and needs no second pass; where it overflows, squares are added in DOUBLE.
    if (!Double.isFinite(seen.sumNumber().doubleValue()) && !Matrices.isFinite(seen)) {
      throw new NotFiniteException(
          describe()
              + ": got NaN or infinity in its input, expected finite numbers; "
              + "no parameter was changed");
    }
  }

  /**
   * Refuses input, or what was computed of it, that has NaN or infinity, by numbers that are some
   * steps apart; later, so that a device need not wait for each check.
   */
  final Runnable finiteInput(Algebra algebra, INDArray seen, long step) {
    Supplier<double[]> squares = algebra.squares(seen, step);
    return () -> {
      if (!Double.isFinite(DoubleStream.of(squares.get()).sum())) {
        requireFiniteInput(seen);
      }
    };
  }

  /** Runs a pass of an operator, and gives what it refuses the name of the layer. */
  final void named(Runnable pass) {
    try {
      pass.run();
    } catch (NotFiniteException e) {
      throw new NotFiniteException(describe() + ": " + e.getMessage());
    } catch (ArithmeticException e) {
      ArithmeticException named = new ArithmeticException(describe() + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    }
  }

  /** Refuses an array with NaN or infinity in it. */
  final void requireFinite(INDArray array, String what, String consequence) {
    if (!Matrices.isFinite(array)) {
      throw new NotFiniteException(
          String.format(
              "%s: got NaN or infinity in %s, expected finite numbers%s",
              describe(), what, consequence));
    }
  }

  /** A copy with an updater of its own: setting its learning rate leaves the original alone. */
  @Override
  public SpdLayer clone() {
    SpdLayer copy = (SpdLayer) super.clone();
    copy.iUpdater = iUpdater == null ? null : iUpdater.clone();
    return copy;
  }

  @Override
  public final boolean equals(Object o) {
    return EqualsBuilder.reflectionEquals(this, o, NOT_COMPARED);
  }

  @Override
  public final int hashCode() {
    return HashCodeBuilder.reflectionHashCode(this, NOT_COMPARED);
  }

  /**
   * What the builders have in common.
   *
   * @param <T> the builder itself
   */
  public abstract static class Builder<T extends Builder<T>> extends FeedForwardLayer.Builder<T> {

    /** What a {@link FeatureMapBuilder} was told. */
    CNN2DFormat dataFormat;

    /** For subclasses. */
    protected Builder() {}

    /**
     * The size C of the input: channels, or rows of the matrix. Needed only where no input type is
     * set from which it can be inferred, as when layers are added to a pretrained network.
     *
     * @param size C
     * @return this builder
     */
    @Override
    public T nIn(int size) {
      return super.nIn(size);
    }

    final boolean hasConstraints() {
      return allParamConstraints != null || weightConstraints != null || biasConstraints != null;
    }

    /** Which of the settings it has that only layers with weights of DL4J's kind have. */
    final List<String> activationOrInit() {
      List<String> set = new ArrayList<>();
      if (activationFn != null) {
        set.add("activation(" + activationFn + ")");
      }
      if (weightInitFn != null) {
        set.add("weightInit(" + weightInitFn.getClass().getSimpleName() + ")");
      }
      if (weightNoise != null) {
        set.add("weightNoise(" + weightNoise.getClass().getSimpleName() + ")");
      }
      if (!Double.isNaN(biasInit)) {
        set.add("biasInit(" + biasInit + ")");
      }
      if (!Double.isNaN(gainInit)) {
        set.add("gainInit(" + gainInit + ")");
      }
      return set;
    }
  }

  /** What is expected of a number that is too large for a file. */
  static String bound(String field) {
    return String.format("%s of at most %.0f", field, Bounds.most(field));
  }

  static String got(Map.Entry<String, Number> number) {
    return number.getKey() + " = " + number.getValue();
  }

  /** Refuses what a builder was given and the layer has no use for. */
  static <L extends SpdLayer> L checked(L layer, Builder<?> builder) {
    layer.requireSound();
    Bounds.beyond(layer)
        .ifPresent(
            number -> {
              throw layer.invalidConfig(bound(number.getKey()), got(number));
            });
    layer.requireSize(layer.getNIn());
    if (builder.hasConstraints()) {
      throw layer.invalidConfig("no constraints", "constraints on its parameters");
    }
    List<String> unused = builder.activationOrInit();
    if (!unused.isEmpty()) {
      throw layer.invalidConfig(
          "no activation, weight initialisation or weight noise, which it has no use for",
          String.join(" and ", unused));
    }
    if (builder.getNOut() != 0 && builder.getNOut() != layer.outputSize(layer.getNIn())) {
      throw layer.invalidConfig(
          "no nOut, which follows from the size of its input", "nOut = " + builder.getNOut());
    }
    return layer;
  }
}
