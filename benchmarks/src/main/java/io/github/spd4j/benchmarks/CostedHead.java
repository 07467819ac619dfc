/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.Part;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdDropout;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.images.InMemoryImages;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Nesterovs;

/** The heads of the experiments, to be timed. */
enum CostedHead {
  AVERAGE("average pooling", c -> Head.averagePooling()),
  CONVOLVED_AVERAGE(
      "convolution, average pooling", c -> Head.averagePooling().convolution(c).identityStart()),
  BILINEAR("bilinear", c -> Head.bilinear()),
  CONVOLVED_BILINEAR("convolution, bilinear", c -> Head.bilinear().convolution(c).identityStart()),
  COMPACT("compact bilinear, 8192", c -> Head.compactBilinear(8192)),
  KERNEL("kernel matrix", c -> Head.kernelOnly()),
  REDUCED_KERNEL("convolution to C/4, kernel matrix", c -> Head.kernelOnly().convolution(c / 4)),
  CONVOLVED_KERNEL(
      "convolution, kernel matrix", c -> Head.kernelOnly().convolution(c).identityStart()),
  SPD("convolution, SPD", c -> spd(c, c)),
  SPD_SMALL("convolution, SPD, C' = C/4", c -> spd(c, c / 4)),
  SPD_ROOT(
      "convolution, SPD, C' = C/2, matrix square root",
      c -> Head.spdRoot(c / 2).convolution(c).identityStart()),
  ISQRT_COV("convolution to C/2, iSQRT-COV", c -> Head.covarianceRoot().convolution(c / 2)),
  MPN_COV("convolution to C/2, MPN-COV", c -> Head.covariancePower(0.5).convolution(c / 2)),
  LEDOIT_WOLF(
      "convolution to C/2, iSQRT-COV, Ledoit-Wolf",
      c -> Head.covarianceRoot().kernel(new LedoitWolfKernel()).convolution(c / 2)),
  DROP_COV("convolution to C/2, DropCov", c -> Head.dropCov().convolution(c / 2)),
  ISICE("convolution to C/4, iSICE", c -> Head.partialCorrelation().convolution(c / 4)),
  LOG_EUCLIDEAN("convolution to C/4, log-Euclidean", c -> Head.logEuclidean().convolution(c / 4)),
  LOG_CHOLESKY("convolution to C/4, log-Cholesky", c -> Head.logCholesky().convolution(c / 4)),
  SPD_CLASSIFIER(
      "convolution to C/4, SPD classifier, log-Euclidean",
      c -> Head.spdClassifier(LogMetric.EUCLIDEAN).convolution(c / 4)),
  SPD_CLASSIFIER_CHOLESKY(
      "convolution to C/4, SPD classifier, log-Cholesky",
      c -> Head.spdClassifier(LogMetric.CHOLESKY).convolution(c / 4)),
  SPD_NET("convolution to C/4, SPDNet", c -> Head.spdNet(c / 8).convolution(c / 4)),
  SPD_NET_BN(
      "convolution to C/4, SPDNet, LieBN",
      c -> Head.spdNet(c / 8).before(SpdGraft.FUNCTION, normalization()).convolution(c / 4)),
  SPD_NET_DROPOUT(
      "convolution to C/4, SPDNet, dropout",
      c ->
          Head.spdNet(c / 8)
              .with(LogEigLayer.Builder.class, log -> log.dropOut(new SpdDropout(0.9, 1e-3)))
              .convolution(c / 4)),
  SPD_NET_RESIDUAL(
      "convolution to C/4, SPDNet, residual",
      c -> Head.spdNet(c / 4).residual().convolution(c / 4)),
  TRACE("convolution to C/4, log-Euclidean, trace normalised", c -> shrunk(c, 1e-3, 0, false)),
  FIXED_SHRINKAGE(
      "convolution to C/4, log-Euclidean, fixed shrinkage", c -> shrunk(c, 0, 0.1, false)),
  SHRINKAGE("convolution to C/4, log-Euclidean, learnt shrinkage", c -> shrunk(c, 0, 0.1, true)),
  DEEP_TEN(
      "convolution to C/4, Deep-TEN", c -> Head.deepTen().convolution(c / 4).batchNormalization()),
  FISHER("Fisher vector, 64 components", c -> Head.fisherVectors()),
  FISHER_REDUCED("Fisher vector, 64 components, 128 dimensions", c -> reducedFisher(c)),
  FISHER_JOINED(
      "Fisher vector, 128 dimensions, joined with average pooling (FV-FC-CNN)",
      c -> reducedFisher(c).withFullyConnected());

  private static final long SEED = 1;
  private static final double RATE = 1e-3;

  /** As many principal components as the experiments take. */
  private static final int DIMENSIONS = 128;

  private static final Set<CostedHead> MIXTURES = EnumSet.of(FISHER, FISHER_REDUCED, FISHER_JOINED);

  /** Enough for a mixture of the right size; a good one is not needed here. */
  private static final int DESCRIPTORS = 50;

  final String title;
  private final IntFunction<Head> head;

  CostedHead(String title, IntFunction<Head> head) {
    this.title = title;
    this.head = head;
  }

  private static Head spd(int channels, int outputs) {
    return Head.spd(outputs).convolution(channels).identityStart();
  }

  private static Part normalization() {
    return Part.layer(
        SpdGraft.MATRIX_NORMALIZATION,
        () -> new SpdBatchNormalizationLayer.Builder().metric(LogMetric.CHOLESKY));
  }

  private static Head shrunk(int channels, double ridge, double share, boolean learnt) {
    return Head.logEuclidean()
        .kernel(new CovarianceKernel())
        .ridge(ridge)
        .convolution(channels / 4)
        .after(
            SpdGraft.AGGREGATION,
            Part.layer(
                SpdGraft.SHRINKAGE,
                () -> {
                  ShrinkageLayer.Builder layer =
                      new ShrinkageLayer.Builder().traceNormalization(true);
                  return learnt ? layer.learntFrom(share) : layer.shrinkage(share);
                }));
  }

  private static Head reducedFisher(int channels) {
    return Head.fisherVectors(Math.min(DIMENSIONS, channels));
  }

  private static FineTuneConfiguration momentum() {
    return new FineTuneConfiguration.Builder()
        .updater(new Nesterovs(RATE, HeadWorkload.MOMENTUM))
        .build();
  }

  private static InputType inputType(HeadSize size) {
    return InputType.convolutional(size.side(), size.side(), size.channels());
  }

  /** The head behind a backbone that does nothing, ready to be trained. */
  ComputationGraph network(HeadSize size, DataSet data) {
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(nothing(size), "maps"))
            .inputType(inputType(size))
            .head(head.apply(size.channels()))
            .classes(size.classes())
            .seed(SEED)
            .fineTune(momentum())
            .build();
    if (MIXTURES.contains(this)) {
      FisherVectors.of(net).descriptorsPerComponent(DESCRIPTORS).fit(new InMemoryImages(data));
    }
    return net;
  }

  private static ComputationGraph nothing(HeadSize size) {
    ComputationGraph net =
        new ComputationGraph(
            HeadWorkload.graph(RATE, size.side(), size.channels())
                .addLayer("maps", new ActivationLayer(Activation.IDENTITY), HeadWorkload.INPUT)
                .addLayer("pool", new GlobalPoolingLayer(PoolingType.AVG), "maps")
                .addLayer("out", new OutputLayer.Builder().nOut(2).build(), "pool")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }
}
