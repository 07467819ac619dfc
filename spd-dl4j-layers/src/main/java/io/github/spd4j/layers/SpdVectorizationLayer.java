/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.UpperTriangle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.BooleanIndexing;
import org.nd4j.linalg.indexing.conditions.Conditions;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Turns a symmetric matrix into a normalised vector for a classifier.
 *
 * <pre>
 * v = [Y₁₁, √2 Y₁₂, …, √2 Y₁ₙ, Y₂₂, √2 Y₂₃, …, Yₙₙ]
 * u = v / (φ + √(|v| + φ²))          power normalisation: sign(v) (√(|v| + φ²) − φ)
 * z = u / ‖u‖                        l2 normalisation
 * output = scale · z
 * </pre>
 *
 * <p>Shapes: [N, 1, C', C'] → [N, C'(C'+1)/2].
 *
 * <p>Paper: Gao, Wu, Bu, Jia, section "Vectorization layer", Eq. {@code vectorization}. √2 makes
 * ‖v‖ the Frobenius norm of Y. The paper's power normalisation is {@code sign(v) √|v|}, whose slope
 * is infinite at 0; here it is at most 1/(2φ), with the {@linkplain Builder#powerFloor floor} φ.
 * Backward gives a symmetric ∂L/∂Y: a gradient g of an entry off the diagonal becomes g/√2 on both
 * sides.
 *
 * <p>When not to use it: the vectors of kernel matrices of different images are nearly parallel, so
 * a classifier on unit vectors learns slowly at common learning rates and is held down by weight
 * decay; a {@link Builder#scale scale} of about 10 mends both. Where a tangent space is wanted
 * (LogEuclidean heads), take the logarithm before it and switch the power normalisation off.
 */
public final class SpdVectorizationLayer extends SpdMatrixLayer {

  private static final long serialVersionUID = 1L;

  private static final String TRIANGLE = "triangle";
  private static final String POWERED = "powered";
  private static final String NORM = "norm";

  private boolean powerNormalization;
  private double powerFloor;
  private boolean l2Normalization;
  private double scale;

  private SpdVectorizationLayer(Builder builder) {
    super(builder);
    this.powerNormalization = builder.powerNormalization;
    this.powerFloor = builder.powerFloor;
    this.l2Normalization = builder.l2Normalization;
    this.scale = builder.scale;
    requirePositive("powerFloor", powerFloor);
    requirePositive("scale", scale);
  }

  private SpdVectorizationLayer() {} // for Jackson

  private void requirePositive(String name, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw invalidConfig("a finite " + name + " greater than 0", name + " = " + value);
    }
  }

  /**
   * Whether the entries are brought closer together by a square root.
   *
   * @return true unless switched off
   */
  public boolean isPowerNormalization() {
    return powerNormalization;
  }

  /**
   * The floor φ of the power normalisation.
   *
   * @return φ
   */
  public double getPowerFloor() {
    return powerFloor;
  }

  /**
   * Whether the vector is divided by its norm.
   *
   * @return true unless switched off
   */
  public boolean isL2Normalization() {
    return l2Normalization;
  }

  /**
   * What the vector is multiplied by in the end.
   *
   * @return the scale
   */
  public double getScale() {
    return scale;
  }

  @Override
  public InputType getOutputType(int layerIndex, InputType inputType) {
    return InputType.feedForward(UpperTriangle.length(checkedSizeOf(inputType)));
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    int n = Math.toIntExact(input.getShape()[2]);
    SDVariable vector = UpperTriangle.of(n).define(sd, input).rename(TRIANGLE);
    if (powerNormalization) {
      // This form of sign(v) (√(|v| + φ²) − φ) loses no digits to cancellation.
      SDVariable root = sd.math().sqrt(sd.math().abs(vector).add(powerFloor * powerFloor));
      vector = vector.div(root.add(powerFloor)).rename(POWERED);
    }
    if (l2Normalization) {
      SDVariable norm = norm(sd, vector, UpperTriangle.length(n)).rename(NORM);
      vector = vector.mul(inverseOrZero(sd, norm));
    }
    return scale == 1 ? sd.identity(vector) : vector.mul(scale);
  }

  /** ‖u‖ [N, 1]. Summed in three dimensions: ND4J fails on a [N, 1] whose rows are to be summed. */
  private static SDVariable norm(SameDiff sd, SDVariable vector, long length) {
    SDVariable squares = sd.reshape(vector.mul(vector), -1, 1, length);
    return sd.reshape(sd.math().sqrt(squares.sum(true, 2)), -1, 1);
  }

  /** 1/‖u‖, or 0 where the norm is below its floor. */
  private static SDVariable inverseOrZero(SameDiff sd, SDVariable norm) {
    SDVariable usable = sd.gt(norm, NumericPolicy.NORM_FLOOR).castTo(norm.dataType());
    return usable.div(norm.add(usable.rsub(1)));
  }

  @Override
  public List<String> savedVariables() {
    List<String> names = new ArrayList<>();
    if (powerNormalization) {
      names.add(TRIANGLE);
    }
    if (l2Normalization) {
      names.add(powerNormalization ? POWERED : TRIANGLE);
      names.add(NORM);
    }
    return names;
  }

  @Override
  public INDArray backward(Saved saved, INDArray gradient, Map<String, INDArray> paramGradients) {
    Map<String, INDArray> values = saved.values();
    INDArray g = gradient.mul(scale);
    if (l2Normalization) {
      INDArray vector = values.get(powerNormalization ? POWERED : TRIANGLE);
      g = l2Backward(vector, values.get(NORM), g);
    }
    if (powerNormalization) {
      INDArray root = Transforms.abs(values.get(TRIANGLE), true).addi(powerFloor * powerFloor);
      g.divi(Transforms.sqrt(root, false).muli(2));
    }
    int n = Math.toIntExact(saved.input().size(2));
    return UpperTriangle.of(n).adjoint(g).reshape(saved.input().shape());
  }

  /**
   * {@code (g − z⟨z, g⟩) / ‖u‖} with {@code z = u/‖u‖}, and 0 where the norm is below its floor.
   */
  private static INDArray l2Backward(INDArray vector, INDArray norm, INDArray g) {
    INDArray inverse = norm.rdiv(1);
    BooleanIndexing.replaceWhere(
        inverse, 0, Conditions.greaterThanOrEqual(1 / NumericPolicy.NORM_FLOOR));
    INDArray unit = vector.mul(inverse);
    INDArray along = unit.mul(g).sum(true, 1);
    return g.subi(unit.muli(along)).muli(inverse);
  }

  @Override
  long savedElements(InputType inputType) {
    return savedVariables().size() * (long) UpperTriangle.length(sizeOf(inputType));
  }

  @Override
  public boolean equals(Object o) {
    if (!super.equals(o)) {
      return false;
    }
    SpdVectorizationLayer that = (SpdVectorizationLayer) o;
    return powerNormalization == that.powerNormalization
        && powerFloor == that.powerFloor
        && l2Normalization == that.l2Normalization
        && scale == that.scale;
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), powerNormalization, powerFloor, l2Normalization, scale);
  }

  @Override
  public String toString() {
    return describe()
        + "(nIn="
        + getNIn()
        + ", power="
        + (powerNormalization ? "floor " + powerFloor : "off")
        + ", l2="
        + (l2Normalization ? "on" : "off")
        + ", scale="
        + scale
        + ")";
  }

  /** Builds an {@link SpdVectorizationLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {
    private boolean powerNormalization = true;
    private double powerFloor = NumericPolicy.POWER_FLOOR;
    private boolean l2Normalization = true;
    private double scale = 1;

    /** A builder with both normalisations on. */
    public Builder() {}

    /**
     * Switches the power normalisation on or off; on unless set.
     *
     * @param on whether to normalise
     * @return this builder
     */
    public Builder powerNormalization(boolean on) {
      this.powerNormalization = on;
      return this;
    }

    /**
     * The floor φ of the power normalisation, which bounds its slope by 1/(2φ). A larger one
     * steadies the training, a smaller one comes closer to the square root.
     *
     * @param floor greater than 0; {@link NumericPolicy#POWER_FLOOR} unless set
     * @return this builder
     */
    public Builder powerFloor(double floor) {
      this.powerFloor = floor;
      return this;
    }

    /**
     * Switches the l2 normalisation on or off; on unless set.
     *
     * @param on whether to normalise
     * @return this builder
     */
    public Builder l2Normalization(boolean on) {
      this.l2Normalization = on;
      return this;
    }

    /**
     * What the vector is multiplied by in the end; 1 unless set.
     *
     * @param scale greater than 0
     * @return this builder
     */
    public Builder scale(double scale) {
      this.scale = scale;
      return this;
    }

    @Override
    public SpdVectorizationLayer build() {
      return checked(new SpdVectorizationLayer(this), this);
    }
  }
}
