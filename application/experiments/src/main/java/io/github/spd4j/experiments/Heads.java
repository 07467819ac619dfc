/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.Part;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdDropout;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The head of a method on a backbone.
 *
 * <p>A convolution is never wider than the backbone's maps: a backbone with fewer than 512 is only
 * there for tests. The vector of {@link Head#kernelOnly} is not normalised, and grows with the
 * number C of maps; it is multiplied by scale / C, so that it is about as long as the others.
 */
record Heads(Method method, HeadSettings settings, Backbone backbone) {

  private static final double KEPT_ROWS = 0.9;

  /** About as large as the ridge makes the smallest of the others. */
  private static final double DROPPED_EIGENVALUE = 1e-3;

  private static final double SHRINKAGE = 0.1;

  private static final double LOGARITHM_RIDGE = 1e-3;

  Head head() {
    return switch (method) {
      case VGG_16 -> hasFullyConnected() ? Head.fullyConnected() : Head.averagePooling();
      case CONV_512_VGG_16 -> convolved(Head.averagePooling());
      case B_CNN, CONV_512_B_CNN -> convolved(normalised(Head.bilinear()));
      case KERNEL, CONV_128_KERNEL, CONV_512_KERNEL ->
          convolved(kernel(Head.kernelOnly()).scale(settings.scale / width()));
      case SPD -> convolved(normalised(kernel(Head.spd(transform()))));
      case SPD_ROOT -> convolved(kernel(Head.spdRoot(transform())).scale(settings.scale));
      case FV_CNN -> normalised(fisherVectors());
      case FV_FC_CNN -> normalised(fisherVectors()).withFullyConnected();
      case DEEP_TEN -> convolved(Head.deepTen().scale(settings.scale)).batchNormalization();
      case ISQRT_COV -> convolved(Head.covarianceRoot().scale(settings.scale));
      case MPN_COV -> convolved(Head.covariancePower(settings.exponent).scale(settings.scale));
      case LEDOIT_WOLF ->
          convolved(Head.covarianceRoot().kernel(new LedoitWolfKernel()).scale(settings.scale));
      case DROP_COV -> convolved(normalised(Head.dropCov()));
      case ISICE -> convolved(Head.partialCorrelation().scale(settings.scale));
      case LOG_CHOLESKY -> convolved(kernel(Head.logCholesky()));
      case SPD_CLASSIFIER -> convolved(kernel(Head.spdClassifier(LogMetric.EUCLIDEAN)));
      case SPD_CLASSIFIER_CHOLESKY -> convolved(kernel(Head.spdClassifier(LogMetric.CHOLESKY)));
      case LOG_EUCLIDEAN -> convolved(kernel(Head.logEuclidean()).scale(settings.scale));
      case SPD_NET -> convolved(Head.spdNet(width() / 2).scale(settings.scale));
      case SPD_NET_BN ->
          convolved(
              Head.spdNet(width() / 2)
                  .before(SpdGraft.FUNCTION, Heads.normalization())
                  .scale(settings.scale));
      case SPD_NET_DROPOUT ->
          convolved(
              Head.spdNet(width() / 2)
                  .with(LogEigLayer.Builder.class, Heads::dropMatrices)
                  .scale(settings.scale));
      case SPD_NET_RESIDUAL -> convolved(Head.spdNet(width()).residual().scale(settings.scale));
      case TRACE -> convolved(shrunk(LOGARITHM_RIDGE, 0, false));
      case FIXED_SHRINKAGE -> convolved(shrunk(0, SHRINKAGE, false));
      case SHRINKAGE -> convolved(shrunk(0, SHRINKAGE, true));
      case COMPACT_BILINEAR -> normalised(Head.compactBilinear(settings.sketch));
    };
  }

  private Head normalised(Head head) {
    return head.powerFloor(settings.powerFloor).scale(settings.scale);
  }

  private Head fisherVectors() {
    int dimensions = Math.min(settings.dimensions, maps());
    return Head.fisherVectors()
        .with(
            FisherVectorLayer.Builder.class,
            vector -> vector.components(settings.components).dimensions(dimensions));
  }

  private static Part normalization() {
    return Part.layer(
        SpdGraft.MATRIX_NORMALIZATION,
        () -> new SpdBatchNormalizationLayer.Builder().metric(LogMetric.CHOLESKY));
  }

  private static void dropMatrices(LogEigLayer.Builder logarithm) {
    logarithm.dropOut(new SpdDropout(KEPT_ROWS, DROPPED_EIGENVALUE));
  }

  /** The logarithm of a covariance whose trace is normalised. */
  private Head shrunk(double ridge, double share, boolean learnt) {
    return Head.logEuclidean()
        .kernel(new CovarianceKernel())
        .ridge(ridge)
        .after(
            SpdGraft.AGGREGATION,
            Part.layer(
                SpdGraft.SHRINKAGE,
                () -> {
                  ShrinkageLayer.Builder layer =
                      new ShrinkageLayer.Builder().traceNormalization(true);
                  return learnt ? layer.learntFrom(share) : layer.shrinkage(share);
                }))
        .scale(settings.scale);
  }

  private Head kernel(Head head) {
    Bandwidth mean = Bandwidth.meanDistance().times(settings.bandwidth);
    Bandwidth bandwidth = settings.differentiateBandwidth ? mean.differentiated() : mean;
    return head.kernel(
        settings.kernel.with(settings.learnBandwidth ? bandwidth.learnt() : bandwidth));
  }

  private Head convolved(Head head) {
    if (method.convolution == 0) {
      return head;
    }
    Head convolved = head.convolution(width());
    return startsAsIdentity() ? convolved.identityStart() : convolved;
  }

  /** An identity to fewer maps would only drop the others. */
  private boolean startsAsIdentity() {
    return !settings.randomStart && width() == maps();
  }

  private int maps() {
    return SpdGraft.onto(backbone).featureMaps();
  }

  private boolean hasFullyConnected() {
    return SpdGraft.onto(backbone).hasFullyConnected();
  }

  private int width() {
    return method.convolution == 0 ? maps() : Math.min(method.convolution, maps());
  }

  private int transform() {
    int usual = method == Method.SPD_ROOT ? width() / 2 : width();
    return settings.transform == 0 ? usual : Math.min(settings.transform, width());
  }

  /** What the head is made of, by the names that runs are stored with. */
  Map<String, String> byName() {
    Map<String, String> all = new LinkedHashMap<>(settings.byName());
    all.put("head", description());
    if (method.convolution > 0) {
      all.put("convolution", String.valueOf(width()));
      all.put("convolutionStart", startsAsIdentity() ? "identity" : "random");
    }
    if (method == Method.SPD || method == Method.SPD_ROOT) {
      all.put("transform", String.valueOf(transform()));
    }
    if (method == Method.MPN_COV) {
      all.put("exponent", String.valueOf(settings.exponent));
    }
    return all;
  }

  private String description() {
    if (!hasFullyConnected()) {
      if (method == Method.VGG_16) {
        return "average pooling";
      }
      if (method == Method.FV_FC_CNN) {
        return "Fisher vectors, joined with average pooling";
      }
    }
    return method.head;
  }
}
