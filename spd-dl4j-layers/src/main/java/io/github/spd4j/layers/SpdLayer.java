/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Backend;
import io.github.spd4j.layers.runtime.PassesOwner;
import io.github.spd4j.layers.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.layers.LayerConstraint;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.deeplearning4j.nn.conf.layers.samediff.SameDiffLayer;
import org.deeplearning4j.nn.conf.memory.LayerMemoryReport;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.regularization.Regularization;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * What the layers of this package have in common: they have no parameters to constrain, nor, unless
 * a layer says so, to regularise; they compute in FLOAT or DOUBLE, and they are executed by a
 * runtime layer of their own.
 */
public abstract class SpdLayer extends SameDiffLayer implements PassesOwner {

  private static final long serialVersionUID = 1L;

  /** The size C of the input: channels, or rows of the matrix. 0 if not known. */
  @JsonProperty("nin")
  private int nIn;

  SpdLayer(Builder<?> builder) {
    super(builder);
    this.nIn = builder.nIn;
    if (nIn < 0) {
      throw invalidConfig("nIn > 0", "nIn = " + nIn);
    }
  }

  SpdLayer() {} // for Jackson

  /**
   * The size C of the input: the channels of the feature maps, or the rows of the matrix.
   *
   * @return C, or 0 if it was neither set nor inferred from the input type
   */
  public final int getNIn() {
    return nIn;
  }

  /** Takes up the size of the input and defines the parameters with it. */
  final void takeUpSize(int size) {
    this.nIn = size;
    SDLayerParams params = new SDLayerParams();
    defineParameters(params);
    setLayerParams(params);
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    // none
  }

  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    // none
  }

  @Override
  public List<Regularization> getRegularizationByParam(String paramName) {
    return List.of();
  }

  @Override
  public void validateParams(Map<String, INDArray> params) {
    // none
  }

  @Override
  public final void validateDataType(DataType type) {
    if (type != DataType.FLOAT && type != DataType.DOUBLE) {
      throw invalidConfig("a network of data type FLOAT or DOUBLE", type.toString());
    }
  }

  @Override
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
    SpdRuntimeLayer layer = new SpdRuntimeLayer(conf, networkDataType, Backend.current());
    layer.setListeners(trainingListeners);
    layer.setIndex(layerIndex);
    layer.setParamsViewArray(layerParamsView);
    layer.setParamTable(initializer().init(conf, layerParamsView, initializeParams));
    return layer;
  }

  @Override
  public LayerMemoryReport getMemoryReport(InputType inputType) {
    InputType output = getOutputType(-1, inputType);
    long parameters = initializer().numParams(this);
    long updaterState = parameters == 0 ? 0 : updater.stateSize(parameters);
    return new LayerMemoryReport.Builder(layerName, getClass(), inputType, output)
        .standardMemory(parameters, updaterState)
        .workingMemory(0, savedElements(inputType), 0, 2 * savedElements(inputType))
        .cacheMemory(0, 0)
        .build();
  }

  /** How many numbers the forward pass of one example makes and keeps, beside its output. */
  abstract long savedElements(InputType inputType);

  final InputTypeConvolutional convolutional(InputType inputType, String wants) {
    if (!(inputType instanceof InputTypeConvolutional)) {
      throw invalidConfig(wants, String.valueOf(inputType));
    }
    return (InputTypeConvolutional) inputType;
  }

  final DL4JInvalidConfigException invalidConfig(String wants, String got) {
    return new DL4JInvalidConfigException(describe() + ": expected " + wants + ", got " + got);
  }

  final DL4JInvalidInputException invalidInput(String wants, INDArray input) {
    return new DL4JInvalidInputException(
        describe() + ": expected input " + wants + ", got shape " + Arrays.toString(input.shape()));
  }

  @Override
  public void validateNumbers(INDArray input, boolean seldom) {
    // the passes see what there is to be seen
  }

  /** Refuses input, or what was computed of it, that has NaN or infinity. */
  final void requireFiniteInput(INDArray seen) {
    // The sum is faster and needs no second look; where it overflows, squares are added in DOUBLE.
    if (!Double.isFinite(seen.sumNumber().doubleValue()) && !Matrices.isFinite(seen)) {
      throw new NotFiniteException(
          describe()
              + ": got NaN or infinity in its input, expected finite numbers; "
              + "no parameter was changed");
    }
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
    if (!Double.isFinite(array.norm2Number().doubleValue())) {
      throw new NotFiniteException(
          String.format(
              "%s: got NaN or infinity in %s, expected finite numbers%s",
              describe(), what, consequence));
    }
  }

  @Override
  public final boolean equals(Object o) {
    return EqualsBuilder.reflectionEquals(this, o);
  }

  @Override
  public final int hashCode() {
    return HashCodeBuilder.reflectionHashCode(this);
  }

  /**
   * What the builders have in common.
   *
   * @param <T> the builder itself
   */
  public abstract static class Builder<T extends Builder<T>> extends SameDiffLayer.Builder<T> {
    private int nIn;

    /** For subclasses. */
    protected Builder() {}

    /**
     * The size C of the input: channels, or rows of the matrix. Needed only where no input type is
     * set from which it can be inferred, as when layers are added to a pretrained network.
     *
     * @param size C
     * @return this builder
     */
    @SuppressWarnings("unchecked")
    public T nIn(int size) {
      this.nIn = size;
      return (T) this;
    }

    final IDropout explicitDropout() {
      return iDropout;
    }

    final boolean hasConstraints() {
      return allParamConstraints != null || weightConstraints != null || biasConstraints != null;
    }
  }

  /** Refuses what a builder was given and the layer has no use for. */
  static <L extends SpdLayer> L checked(L layer, Builder<?> builder) {
    if (builder.hasConstraints()) {
      throw layer.invalidConfig("no constraints", "constraints on its parameters");
    }
    return layer;
  }
}
