/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * {@code K = (1 − α) Σ + α (tr Σ / C) I}, the covariance Σ of the channels over the pixels, shrunk
 * by as much as Ledoit and Wolf estimate for each image: the less its pixels tell, the more.
 *
 * <pre>
 * S = Σ / tr Σ,  q_p = ‖x_p‖² scaled to a mean of 1 over the pixels    x_p: the centred pixel
 * β = (mean of q_p² − ‖S‖²) / P,  δ = ‖S‖² − 1/C,  α = min(1, β/δ)
 * </pre>
 *
 * <p>Σ is that of a {@link CovarianceKernel}. K is positive definite, even with more channels than
 * pixels, unless all maps are constant: then it is zero, and so is its gradient.
 *
 * <p>Paper: Ledoit, Wolf, <i>A Well-Conditioned Estimator for Large-Dimensional Covariance
 * Matrices</i>, J. Multivariate Anal. 2004, section 3.2. Pixels that are alike count as independent
 * ones there, so that α is too small for smooth maps. Backward is the whole derivative, that of α
 * too; where α is 1 it does not move.
 */
public final class LedoitWolfKernel implements ClosedKernel {

  private static final long serialVersionUID = 1L;

  private static final String CENTRED = "centredMaps";
  private static final String SHARES = "covarianceOfTraceOne";
  private static final String ALPHA = "shrinkage";

  @Override
  public SDVariable define(SameDiff sd, SDVariable maps, long channels, long pixels) {
    return define(sd, maps, null, channels, pixels, Map.of());
  }

  @Override
  public SDVariable define(
      SameDiff sd,
      SDVariable maps,
      SDVariable mask,
      long channels,
      long pixels,
      Map<String, SDVariable> parameters) {
    SDVariable centred = Definitions.named(sd, CountedPixels.centred(maps, mask), CENTRED);
    SDVariable scaled = CountedPixels.unbiased(sd, centred, mask, pixels);
    SDVariable covariance = sd.mmul(scaled, centred, false, true, false);
    SDVariable identity = Definitions.identity(sd, maps.dataType(), channels);
    SDVariable trace = whole(sd, covariance.mul(identity), channels * channels);
    SDVariable usable =
        sd.gt(trace, NumericPolicy.smallSquare(maps.dataType())).castTo(trace.dataType());
    // 1 where it is not usable, whatever it is there
    SDVariable inverse = usable.div(trace.mul(usable).add(usable.rsub(1)));
    SDVariable shares = Definitions.named(sd, covariance.mul(inverse), SHARES);

    SDVariable lengths = centred.mul(scaled).sum(true, 1).mul(inverse); // q_p / P
    SDVariable squares = whole(sd, lengths.mul(lengths), pixels);
    SDVariable norm = whole(sd, shares.mul(shares), channels * channels);
    SDVariable beta = squares.sub(CountedPixels.share(norm, mask, pixels));
    SDVariable delta = norm.sub(1.0 / channels);
    SDVariable all = sd.gte(beta, delta).castTo(trace.dataType());
    SDVariable none = all.rsub(1);
    SDVariable share = all.add(none.mul(beta).div(delta.mul(none).add(all)));
    SDVariable alpha = Definitions.named(sd, share, ALPHA);

    SDVariable target = identity.mul(trace.div(channels));
    return covariance.add(target.sub(covariance).mul(alpha));
  }

  /** The sum over an array of each image, [N, 1, 1]. */
  private static SDVariable whole(SameDiff sd, SDVariable array, long length) {
    return sd.reshape(array, -1, 1, length).sum(true, 2);
  }

  @Override
  public List<String> saved() {
    return List.of(CENTRED, SHARES, ALPHA);
  }

  /**
   * With the gradient h of α, divided by δ and scaled, {@code ∂L/∂F} is {@code M F̄ + h F̄ diag(q)}
   * less the means of its rows, where M has the derivatives of Σ and of ‖S‖.
   */
  @Override
  public INDArray backward(INDArray maps, Map<String, INDArray> saved, INDArray gradient) {
    return backward(maps, null, saved, gradient, Map.of());
  }

  @Override
  public INDArray backward(
      INDArray maps,
      INDArray mask,
      Map<String, INDArray> saved,
      INDArray gradient,
      Map<String, INDArray> byParameters) {
    INDArray centred = saved.get(CENTRED);
    INDArray shares = saved.get(SHARES);
    INDArray alpha = saved.get(ALPHA);
    long channels = maps.size(1);
    INDArray pixels = CountedPixels.number(maps, mask);
    INDArray divisor = Transforms.max(pixels.sub(1), 1);
    INDArray gradientTrace = trace(gradient);
    INDArray norm = perImage(shares.mul(shares));
    INDArray inverse = inverseTrace(centred, divisor);
    INDArray lengths = centred.mul(centred).sum(true, 1).divi(divisor).muli(inverse);
    INDArray squares = lengths.mul(lengths).sum(true, 2);

    // What α moves by, where it moves.
    INDArray moves = alpha.lt(1).castTo(alpha.dataType());
    INDArray delta = norm.sub(1.0 / channels).muli(moves).addi(moves.rsub(1));
    INDArray h = gradientTrace.div(channels).subi(perImage(gradient.mul(shares)));
    h.muli(moves).divi(delta).divi(divisor).muli(4);
    INDArray byNorm = alpha.add(pixels.rdiv(1)).muli(h);

    INDArray onDiagonal = norm.mul(byNorm).subi(squares.mul(h));
    onDiagonal.addi(alpha.mul(gradientTrace).divi(divisor).muli(2.0 / channels));
    INDArray matrix = gradient.add(Matrices.transpose(gradient));
    matrix = MatrixStack.inOrder(matrix.muli(alpha.rsub(1)).divi(divisor).subi(shares.mul(byNorm)));
    INDArray ones = Nd4j.ones(maps.dataType(), 1, channels);
    MatrixStack.diagonals(matrix).addi(onDiagonal.reshape(-1, 1).mmul(ones));

    INDArray byLengths = centred.mul(lengths.mul(h));
    byLengths.subi(byLengths.sum(true, 2).divi(pixels));
    return Matrices.product(matrix, centred).addi(byLengths);
  }

  /** tr G, [N, 1, 1]. */
  private static INDArray trace(INDArray matrices) {
    INDArray diagonals = MatrixStack.diagonals(MatrixStack.inOrder(matrices));
    return diagonals.sum(true, 1).reshape(-1, 1, 1);
  }

  private static INDArray perImage(INDArray matrices) {
    return matrices.sum(1, 2).reshape(-1, 1, 1);
  }

  /** 1 / tr Σ, or 0 where the trace is not above its floor, [N, 1, 1]. */
  private static INDArray inverseTrace(INDArray centred, INDArray divisor) {
    INDArray trace = perImage(centred.mul(centred)).divi(divisor);
    INDArray usable =
        trace.gt(NumericPolicy.smallSquare(trace.dataType())).castTo(trace.dataType());
    return usable.divi(trace.mul(usable).addi(usable.rsub(1)));
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof LedoitWolfKernel;
  }

  @Override
  public int hashCode() {
    return LedoitWolfKernel.class.hashCode();
  }

  @Override
  public String toString() {
    return "LedoitWolfKernel()";
  }
}
