/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Examples.equalMaps;
import static io.github.spd4j.testing.Examples.maps;
import static io.github.spd4j.testing.Examples.positive;
import static io.github.spd4j.testing.Examples.spectra;
import static io.github.spd4j.testing.Examples.symmetric;
import static io.github.spd4j.testing.Examples.zeros;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.testing.Examples;
import io.github.spd4j.testing.Mixtures;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.NoOp;

/** The cases of all layers: a new layer has its entry here, and all checks run over it. */
final class LayerCases {

  private LayerCases() {}

  /** All cases; a layer may have several, with other examples for other options. */
  static List<LayerCase> all() {
    return List.of(
            kernelAggregation(),
            spdTransform(),
            spdVectorization(),
            matrixSquareRoot(),
            sparseInverse(),
            functionsOfEigenvalues(),
            logCholesky(),
            shrinkage(),
            spdBatchNormalization(),
            scaleShift(),
            bilinearPooling(),
            compactBilinear(),
            textureEncoding(),
            fisherVector(),
            scattering())
        .stream()
        .flatMap(List::stream)
        .collect(Collectors.toList());
  }

  /** What a check of the layers alone runs over. */
  static Stream<Sample> samples(Check check) {
    return all().stream().flatMap(each -> each.samples(check));
  }

  /** One sample for each case. */
  static Stream<Sample> firstSamples(Check check) {
    return all().stream().flatMap(each -> each.firstSamples(check));
  }

  private static List<LayerCase> kernelAggregation() {
    Bandwidth mean = Bandwidth.meanDistance();
    Bandwidth[] constant = {
      mean,
      mean.times(0.5),
      mean.times(0.5).learnt(),
      mean.learnt(),
      Bandwidth.fixed(2),
      Bandwidth.fixed(2).learnt()
    };
    Bandwidth[] differentiated = {
      mean.differentiated(),
      mean.differentiated().learnt(),
      mean.times(0.5).differentiated().learnt(),
      mean.times(0.7).differentiated().learnt()
    };
    Examples[] maps = {maps(3, 7, 4, 3), maps(3, 9, 3, 3)};
    Examples[] degenerate = {
      equalMaps(2, 5, 3, 3), maps(2, 6, 3, 3).with("two dead", LayerCases::withTwoDead),
      maps(2, 1, 3, 3), maps(4, 7, 1, 1)
    };
    // Two maps have but one distance, their mean: what is divided by it is constant.
    Examples two = maps(1, 2, 2, 2);
    Examples twoOfOneDistance = two.cancelling(1);
    return List.of(
        LayerCase.of(each(RbfKernel::new, 0, constant))
            .on(maps)
            .atKinks(degenerate)
            .atKinks(two, maps(3, 6, 5, 4).seenFromTheSide(), maps(3, 6, 4, 5).channelsLast())
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(RbfKernel::new, 0, differentiated))
            .on(maps)
            .atKinks(degenerate)
            .atKinks(twoOfOneDistance)
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(RbfKernel::new, 0.1, constant))
            .atKinks(maps(3, 7, 4, 3), equalMaps(2, 5, 3, 3), two)
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(RbfKernel::new, 0.1, differentiated))
            .atKinks(maps(3, 7, 4, 3), equalMaps(2, 5, 3, 3), twoOfOneDistance)
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(aggregation(new LaplacianKernel(), 0))
            .on(maps(3, 7, 4, 3))
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(LaplacianKernel::new, 0.1, constant))
            .on(maps)
            .on(Check.DEFINITION, degenerate)
            .on(Check.ALGEBRA, degenerate)
            .on(Check.ALGEBRA, two)
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(LaplacianKernel::new, 0.1, differentiated))
            .on(maps)
            .on(Check.DEFINITION, degenerate)
            .on(Check.ALGEBRA, degenerate)
            .on(Check.ALGEBRA, twoOfOneDistance)
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(RbfKernel::new, 0, constant))
            // more than a strip of the product, than a tile; enough images for all threads
            .on(Check.HOST, maps(3, 300, 3, 3), maps(5, 33, 4, 4), maps(32, 60, 5, 5))
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(RbfKernel::new, 0, Bandwidth.fixed(0.3), Bandwidth.fixed(0.3).learnt()))
            .on(maps(2, 5, 4, 4).with("far apart", far -> far.muli(3)))
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(
                aggregation(PolynomialKernel.degree(3).offset(0.5).scale(0.2), 0),
                aggregation(new CovarianceKernel(), 0),
                aggregation(new LedoitWolfKernel(), 0))
            .on(maps(3, 5, 4, 3), maps(2, 5, 3, 3))
            .atKinks(maps(3, 6, 4, 5).channelsLast())
            .without(Check.ALGEBRA, DEFINED));
  }

  private static final String DEFINED = "the forward pass is the definition, in SameDiff";

  private static SpdLayer[] each(
      Function<Bandwidth, Kernel> kernel, double ridge, Bandwidth... widths) {
    return Stream.of(widths)
        .map(width -> aggregation(kernel.apply(width), ridge))
        .toArray(SpdLayer[]::new);
  }

  private static INDArray withTwoDead(INDArray maps) {
    maps.get(NDArrayIndex.all(), NDArrayIndex.interval(1, 3)).assign(0);
    return maps;
  }

  private static KernelAggregationLayer aggregation(Kernel kernel, double ridge) {
    return new KernelAggregationLayer.Builder().kernel(kernel).ridge(ridge).build();
  }

  /** Away from its start, where e^θ is 1. */
  private static void moveBandwidth(Layer layer) {
    INDArray theta = layer.getParam(RadialKernel.LOG_BANDWIDTH);
    if (theta != null) {
      theta.assign(0.3);
    }
  }

  private static List<LayerCase> spdTransform() {
    return List.of(
        LayerCase.of(transform(1).build()).on(symmetric(1, 3), symmetric(2, 1)),
        LayerCase.of(
                transform(3).build(),
                transform(4).build(),
                transform(2).rectifier(Rectifier.RELU).build(),
                transform(4).rectifier(Rectifier.RELU).build())
            .on(symmetric(3, 5), symmetric(2, 4)),
        LayerCase.of(transform(7).build()).on(symmetric(5, 7)),
        LayerCase.of(transform(35).build()).on(Check.HOST, symmetric(3, 40)),
        LayerCase.of(transform(40).build()).on(Check.HOST, symmetric(32, 50)),
        LayerCase.of(transform(270).build()).on(Check.HOST, symmetric(2, 300)),
        // The formulas hold for any W, which this updater leaves alone.
        LayerCase.of(
                transform(4).updater(new NoOp()).build(),
                transform(4).rectifier(Rectifier.RELU).updater(new NoOp()).build())
            .on(symmetric(3, 5))
            .startingWith(layer -> drawn(layer.getParam(SpdTransformLayer.W))));
  }

  private static SpdTransformLayer.Builder transform(int nOut) {
    return new SpdTransformLayer.Builder().nOut(nOut);
  }

  private static void drawn(INDArray parameter) {
    parameter.assign(Nd4j.randn(parameter.dataType(), parameter.shape()));
  }

  private static List<LayerCase> spdVectorization() {
    Examples[] matrices = {spectra(), symmetric(3, 9), symmetric(1, 2)};
    Examples[] large = {symmetric(3, 35)};
    double direction = 1; // of a single number: ±1, which is constant
    return List.of(
        LayerCase.of(
                vectorization(true, true, 1),
                vectorization(true, true, 3),
                vectorization(false, true, 10))
            .on(matrices)
            .atKinks(zeros(2, 1), zeros(2, 4), symmetric(2, 1).cancelling(direction))
            .on(Check.HOST, large),
        LayerCase.of(vectorization(true, false, 1), vectorization(false, false, 3))
            .on(matrices)
            .atKinks(zeros(2, 1), zeros(2, 4), symmetric(2, 1))
            .on(Check.HOST, large));
  }

  private static SpdLayer vectorization(boolean power, boolean l2, double scale) {
    return new SpdVectorizationLayer.Builder()
        .powerNormalization(power)
        .l2Normalization(l2)
        .scale(scale)
        .build();
  }

  private static List<LayerCase> matrixSquareRoot() {
    return List.of(
        LayerCase.of(squareRoot(5), squareRoot(3), squareRoot(2), squareRoot(1))
            .on(positive(3, 5), positive(2, 1))
            .atKinks(zeros(2, 3), zeros(2, 1)),
        LayerCase.of(squareRoot(5))
            .on(Check.HOST, positive(32, 40), positive(2, 70), zeros(32, 40), zeros(2, 70)));
  }

  private static SpdLayer squareRoot(int iterations) {
    return new MatrixSquareRootLayer.Builder().iterations(iterations).build();
  }

  private static List<LayerCase> sparseInverse() {
    SparseInverseLayer.Builder layer = new SparseInverseLayer.Builder();
    return List.of(
        LayerCase.of(new SparseInverseLayer.Builder().build())
            .on(spectra())
            .atKinks(positive(3, 5), positive(2, 2), zeros(2, 3))
            .on(Check.DEFINITION, positive(3, 1)),
        LayerCase.of(
                layer.iterations(5).build(),
                layer.iterations(3).build(),
                layer.iterations(2).build(),
                layer.iterations(1).build())
            .on(Check.ALGEBRA, positive(2, 4), positive(2, 1), zeros(2, 4), zeros(2, 1)),
        LayerCase.of(new SparseInverseLayer.Builder().steps(0).build())
            .on(positive(3, 5))
            .atKinks(zeros(2, 1), zeros(2, 5)));
  }

  private static List<LayerCase> functionsOfEigenvalues() {
    return List.of(
        LayerCase.of(
                new LogEigLayer.Builder().floor(0.5).build(),
                new LogEigLayer.Builder().floor(0.01).build(),
                new ReEigLayer.Builder().floor(0.5).build(),
                new ReEigLayer.Builder().floor(0.01).build(),
                new MatrixPowerLayer.Builder().exponent(0.3).build(),
                new MatrixPowerLayer.Builder().exponent(0.25).floor(0.01).build())
            .on(spectra())
            // Eigenvalues of both signs, and more of them than ND4J's decomposition divides at.
            .atKinks(symmetric(3, 1), symmetric(3, 2), symmetric(3, 5), symmetric(3, 20))
            .without(Check.ALGEBRA, LAPACK),
        LayerCase.of(new ExpEigLayer.Builder().build())
            .on(spectra())
            .atKinks(small(3, 1), small(3, 2), small(3, 5), small(3, 20))
            .without(Check.ALGEBRA, LAPACK));
  }

  private static final String LAPACK = "the passes are those of LAPACK, on the host";

  private static Examples small(long examples, long size) {
    return symmetric(examples, size).with("and small", matrices -> matrices.muli(0.3));
  }

  private static List<LayerCase> logCholesky() {
    return List.of(
        LayerCase.of(new LogCholeskyLayer.Builder().build())
            .on(spectra(), definite(3, 1), definite(3, 2), definite(3, 5))
            .on(definite(1, 1), definite(1, 2), definite(1, 5))
            .without(Check.ALGEBRA, LAPACK));
  }

  /** Far enough from what has no factor. */
  private static Examples definite(long examples, long size) {
    return positive(examples, size).with("and an identity", LayerCases::plusIdentity);
  }

  private static INDArray plusIdentity(INDArray matrices) {
    long size = matrices.size(2);
    return matrices.addi(Nd4j.eye(size).castTo(DataType.DOUBLE).reshape(1, 1, size, size));
  }

  private static List<LayerCase> shrinkage() {
    ShrinkageLayer.Builder layer = new ShrinkageLayer.Builder().shrinkage(0.3);
    return List.of(
        LayerCase.of(
                layer.traceNormalization(false).build(),
                layer.traceNormalization(true).build(),
                layer.learntFrom(0.3).build(),
                layer.traceNormalization(false).build())
            .on(spectra(), positive(3, 2), positive(3, 5))
            .atKinks(zeros(2, 1), zeros(2, 2), zeros(2, 5))
            .on(Check.DEFINITION, positive(3, 1))
            .without(Check.ALGEBRA, ENTRIES));
  }

  private static final String ENTRIES = "the passes go over entries by ND4J, whatever the algebra";

  private static List<LayerCase> spdBatchNormalization() {
    return List.of(
        LayerCase.of(
                batchNormalization(LogMetric.EUCLIDEAN).floor(0.01).build(),
                batchNormalization(LogMetric.CHOLESKY).floor(0.01).build())
            .on(definite(3, 1), definite(3, 2), definite(3, 5))
            .without(Check.ALGEBRA, LAPACK)
            .without(Check.AUTODIFF, TRAINING)
            .without(Check.HOST, TRAINING)
            .startingWith(LayerCases::moveStatistics),
        LayerCase.of(
                batchNormalization(LogMetric.EUCLIDEAN).domains(2).build(),
                batchNormalization(LogMetric.CHOLESKY).domains(2).build())
            .on(ofTwoDomains(1), ofTwoDomains(2), ofTwoDomains(5))
            .without(Check.ALGEBRA, LAPACK)
            .without(Check.AUTODIFF, TRAINING)
            .without(Check.HOST, TRAINING)
            .startingWith(LayerCases::moveStatistics));
  }

  private static final String TRAINING =
      "the statistics are those of the batch in training, and those of the definition otherwise";

  private static SpdBatchNormalizationLayer.Builder batchNormalization(LogMetric metric) {
    return new SpdBatchNormalizationLayer.Builder().metric(metric);
  }

  /** Far from the statistics; the second example is of the first domain, the others are not. */
  private static Examples ofTwoDomains(long size) {
    return definite(3, size)
        .with(
            "of two domains",
            matrices -> {
              INDArray domains = Nd4j.ones(DataType.DOUBLE, 3, 1, size, size);
              domains.slice(1).assign(0);
              return Nd4j.concat(1, matrices.muli(1e6), domains);
            });
  }

  private static void moveStatistics(Layer layer) {
    layer.getParam("bias").assign(0.1);
    layer.getParam("dispersion").assign(1.3);
    layer.getParam("mean").assign(-0.2);
    layer.getParam("mean").getRow(0).addi(0.1); // another one than that of other domains
    layer.getParam("variance").assign(0.7);
  }

  private static List<LayerCase> scaleShift() {
    return List.of(
        LayerCase.of(
                new ScaleShiftLayer.Builder().build(),
                new ScaleShiftLayer.Builder().rectified(true).build())
            .on(maps(3, 5, 4, 3), maps(3, 6, 4, 5).channelsLast())
            .startingWith(
                layer -> {
                  drawn(layer.getParam(ScaleShiftLayer.SCALE));
                  drawn(layer.getParam(ScaleShiftLayer.SHIFT));
                })
            .without(Check.ALGEBRA, ENTRIES));
  }

  private static List<LayerCase> bilinearPooling() {
    Examples[] ordinary = {
      maps(2, 5, 4, 3), maps(3, 5, 4, 3), maps(3, 6, 4, 5), maps(3, 6, 4, 5).channelsLast()
    };
    Examples dead = maps(2, 3, 4, 4).with("of zeros", maps -> maps.muli(0));
    Examples[] large = {maps(3, 35, 4, 4), maps(32, 6, 2, 2)};
    double direction = 1; // of a single number: 1, which is constant
    return List.of(
        LayerCase.of(bilinear(true, true, 1), bilinear(false, true, 10))
            .on(ordinary)
            .atKinks(dead, maps(2, 1, 1, 1).cancelling(direction))
            .on(Check.HOST, large),
        LayerCase.of(bilinear(true, false, 1), bilinear(false, false, 3))
            .on(ordinary)
            .atKinks(dead, maps(2, 1, 1, 1))
            .on(Check.HOST, large));
  }

  private static SpdLayer bilinear(boolean power, boolean l2, double scale) {
    return new BilinearPoolingLayer.Builder()
        .powerNormalization(power)
        .l2Normalization(l2)
        .scale(scale)
        .build();
  }

  private static List<LayerCase> compactBilinear() {
    CompactBilinearLayer.Builder seeded = new CompactBilinearLayer.Builder().seed(3);
    return List.of(
        LayerCase.of(
                seeded.sketchSize(7).build(),
                compact(true, true, 1),
                compact(true, false, 1),
                compact(false, true, 10),
                compact(false, false, 3))
            .on(maps(2, 5, 4, 3), maps(3, 5, 4, 3), maps(1, 5, 4, 3), maps(3, 12, 4, 4))
            .on(Check.DEFINITION, maps(3, 1, 4, 3)),
        LayerCase.of(seeded.sketchSize(1).build())
            .on(Check.DEFINITION, maps(3, 5, 4, 3), maps(1, 5, 4, 3), maps(3, 1, 4, 3)));
  }

  private static SpdLayer compact(boolean power, boolean l2, double scale) {
    return new CompactBilinearLayer.Builder()
        .sketchSize(50)
        .powerNormalization(power)
        .l2Normalization(l2)
        .scale(scale)
        .build();
  }

  private static List<LayerCase> textureEncoding() {
    return List.of(
        LayerCase.of(
                new TextureEncodingLayer.Builder().words(3).build(),
                new TextureEncodingLayer.Builder()
                    .words(2)
                    .powerNormalization(true)
                    .scale(3)
                    .build())
            .on(maps(2, 5, 4, 3), maps(3, 6, 4, 5).channelsLast())
            .without(Check.ALGEBRA, DEFINED));
  }

  private static List<LayerCase> fisherVector() {
    return List.of(
        LayerCase.of(
                new FisherVectorLayer.Builder().components(2).build(),
                new FisherVectorLayer.Builder()
                    .components(3)
                    .dimensions(2)
                    .powerNormalization(false)
                    .l2Normalization(false)
                    .build())
            .on(maps(2, 5, 4, 3), maps(3, 6, 4, 5).channelsLast())
            .startingWith(Mixtures::storeIn)
            .without(Check.ALGEBRA, DEFINED));
  }

  private static List<LayerCase> scattering() {
    String noGradient = "it has no backward pass";
    return List.of(
        LayerCase.of(new ScatteringLayer.Builder().scales(2).directions(3).build())
            .on(maps(2, 3, 19, 15), maps(2, 3, 15, 19).channelsLast())
            .without(Check.AUTODIFF, noGradient)
            .without(Check.ALGEBRA, noGradient)
            .without(Check.HOST, noGradient));
  }
}
