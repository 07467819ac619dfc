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
import io.github.spd4j.layers.LayerCase.Head;
import io.github.spd4j.layers.LayerCase.Refusal;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.testing.Examples;
import io.github.spd4j.testing.Mixtures;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.constraint.MaxNormConstraint;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

/**
 * The cases of all layers. A new layer has its entry here: a method that returns its cases, named
 * in {@link #all}. A case has sets of options with the examples that the layer alone is checked on,
 * networks with the layer, and options that it refuses; {@link LayerCase.Check} tells which test
 * takes what.
 */
final class LayerCases {

  /** No numbers for what must be finite and greater than 0. */
  private static final double[] NONE = {0, -1, Double.NaN, Double.POSITIVE_INFINITY};

  private static final double[] NO_FLOOR = {0, -1e-4, Double.NaN, Double.POSITIVE_INFINITY};

  /** The other version of DL4J proves nothing by options that change a formula alone. */
  private static final boolean ONE_OF_A_KIND = Boolean.getBoolean("spd4j.oneOfAKind");

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
    return chosen(all().stream().flatMap(each -> each.samples(check)), Sample::kind);
  }

  /** One sample for each case. */
  static Stream<Sample> firstSamples(Check check) {
    return all().stream().flatMap(each -> each.firstSamples(check));
  }

  /** What a check in networks runs over. */
  static Stream<Head> heads(Check check) {
    return chosen(all().stream().flatMap(each -> each.heads(check)), Head::kind);
  }

  private static <T> Stream<T> chosen(Stream<T> checked, Function<T, String> kind) {
    Set<String> seen = new HashSet<>();
    return checked.filter(each -> seen.add(kind.apply(each)) || !ONE_OF_A_KIND);
  }

  /** Options that are refused, of all layers. */
  static Stream<Refusal> refusals() {
    return all().stream().flatMap(LayerCase::refusals);
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
    Examples maps = maps(3, 7, 4, 3);
    Examples asManyMapsAsPixels = maps(3, 9, 3, 3);
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
            .on(Check.ALGEBRA, asManyMapsAsPixels)
            .atKinks(degenerate)
            .atKinks(two, maps(3, 6, 5, 4).seenFromTheSide(), maps(3, 6, 4, 5).channelsLast())
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(RbfKernel::new, 0, differentiated))
            .on(maps)
            .on(Check.ALGEBRA, asManyMapsAsPixels)
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
            .on(Check.ALGEBRA, asManyMapsAsPixels)
            .on(Check.DEFINITION, degenerate)
            .on(Check.ALGEBRA, degenerate)
            .on(Check.ALGEBRA, two)
            .startingWith(LayerCases::moveBandwidth),
        LayerCase.of(each(LaplacianKernel::new, 0.1, differentiated))
            .on(maps)
            .on(Check.ALGEBRA, asManyMapsAsPixels)
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
            .without(Check.ALGEBRA, DEFINED)
            .in(Check.GRADIENT, ofKernel(PolynomialKernel.degree(2).offset(1).scale(0.1)))
            .in(Check.GRADIENT, ofKernel(new CovarianceKernel()))
            .in(Check.DEGENERATE, aggregation(new LedoitWolfKernel(), 0), vector())
            .in(
                Check.INPUT,
                aggregation(PolynomialKernel.degree(2).offset(1).scale(0.1), 0),
                vector()),
        LayerCase.of(aggregation(new RbfKernel(), 0))
            .in(Networks.head().toArray(new Layer[0]))
            .in(aggregation(new RbfKernel(mean.times(0.5).learnt()), 0), vector())
            .in(Check.INPUT, aggregation(new RbfKernel(mean.learnt()), 0), vector())
            .in(Check.INPUT, aggregation(new RbfKernel(Bandwidth.fixed(2)), 0), vector())
            .in(Check.INPUT, aggregation(new LaplacianKernel(), 0), vector())
            .without(Check.GRADIENT, "a bandwidth of the maps is a constant in the backward pass"),
        LayerCase.of(aggregation(new RbfKernel(Bandwidth.fixed(2)), 0))
            .refuses(
                "ridge",
                epsilon -> new KernelAggregationLayer.Builder().ridge(epsilon),
                -1e-3,
                1e308,
                Double.NaN,
                Double.POSITIVE_INFINITY)
            .in(Check.GRADIENT, ofKernel(new RbfKernel(Bandwidth.fixed(2))))
            .in(Check.GRADIENT, ofKernel(new RbfKernel(mean.differentiated())))
            .in(Check.GRADIENT, ofKernel(new RbfKernel(mean.times(0.7).differentiated())))
            .in(Check.GRADIENT, ofKernel(new LaplacianKernel(Bandwidth.fixed(2))))
            .in(Check.GRADIENT, ofKernel(new LaplacianKernel(mean.differentiated())))
            .in(Check.GRADIENT, ofKernel(new RbfKernel(Bandwidth.fixed(2).learnt())))
            .in(
                Check.GRADIENT,
                ofKernel(new LaplacianKernel(mean.times(0.7).differentiated().learnt())))
            .in(
                Check.GRADIENT,
                aggregation(new RbfKernel(mean.differentiated()), 0.1),
                transform(4).build(),
                vector())
            .startingWith(LayerCases::moveBandwidth));
  }

  private static Layer[] ofKernel(Kernel kernel) {
    return new Layer[] {aggregation(kernel, 0), transform(3).build(), vector()};
  }

  /** What most networks have behind the layer of a case. */
  private static SpdLayer vector() {
    return new SpdVectorizationLayer.Builder().build();
  }

  /** The same without what hides how large the numbers are. */
  private static SpdLayer plainVector() {
    return new SpdVectorizationLayer.Builder().powerNormalization(false).build();
  }

  private static SpdLayer covariance(double ridge) {
    return aggregation(new CovarianceKernel(), ridge);
  }

  private static SpdLayer ofFixedWidth() {
    return aggregation(new RbfKernel(Bandwidth.fixed(2)), 0);
  }

  /** A layer that is not ours: the gradient that it gives a matrix is not symmetric. */
  private static Layer dense() {
    return new DenseLayer.Builder().nOut(2).activation(Activation.TANH).build();
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
  private static void moveBandwidth(org.deeplearning4j.nn.api.Layer layer) {
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
            .startingWith(layer -> drawn(layer.getParam(SpdTransformLayer.W))),
        LayerCase.of(transform(3).build())
            .refuses(new SpdTransformLayer.Builder(), "nOut(C') of at least 1", "nOut = 0")
            .refuses(transform(5).nIn(4), "nOut ≤ 4", "nOut = 5")
            .refuses(transform(2).updater(new Adam()), "StiefelSgd, StiefelAdam or NoOp", "Adam")
            .refuses(transform(2).l2(1e-4), "regularisation")
            .refuses(transform(2).constrainWeights(new MaxNormConstraint(1, 1)), "constraints")
            .in(Check.GRADIENT, ofFixedWidth(), vector())
            .in(Check.GRADIENT, ofFixedWidth(), transform(5).build(), vector())
            .in(Check.GRADIENT, ofFixedWidth(), transform(1).build(), vector())
            .in(
                Check.GRADIENT,
                ofFixedWidth(),
                transform(5).init(StiefelInit.IDENTITY).build(),
                vector())
            .in(
                Check.GRADIENT,
                ofFixedWidth(),
                transform(4).rectifier(Rectifier.RELU).build(),
                vector())
            .in(
                Check.GRADIENT,
                ofFixedWidth(),
                transform(5).build(),
                transform(4).build(),
                transform(2).build(),
                vector())
            .in(
                Check.GRADIENT,
                ofFixedWidth(),
                transform(5).rectifier(Rectifier.RELU).build(),
                transform(3).build(),
                vector())
            .in(Check.GRADIENT, ofFixedWidth(), transform(3).build(), dense())
            .in(
                Check.JSON,
                stored(new RbfKernel(Bandwidth.fixed(2).times(3)), new StiefelSgd(0.02, 0.8)))
            .in(
                Check.JSON,
                stored(
                    new RbfKernel(Bandwidth.meanDistance().times(0.5).differentiated()),
                    StiefelSgd.builder()
                        .learningRate(new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 2))
                        .momentum(0.9)
                        .metric(StiefelMetric.EUCLIDEAN)
                        .retraction(Retraction.POLAR)
                        .build()))
            .in(Check.JSON, stored(new LaplacianKernel(), new StiefelAdam(0.01)))
            .in(
                Check.JSON,
                stored(
                    PolynomialKernel.degree(2).offset(0.5).scale(0.1),
                    StiefelAdam.builder()
                        .learningRate(new StepSchedule(ScheduleType.ITERATION, 0.01, 0.5, 3))
                        .beta1(0.8)
                        .beta2(0.99)
                        .epsilon(1e-6)
                        .build()))
            .in(Check.JSON, stored(new CovarianceKernel(), null)));
  }

  /** Every option is another one than without it. */
  private static Layer[] stored(Kernel kernel, IUpdater updater) {
    return new Layer[] {
      aggregation(kernel, 1e-3),
      transform(4).init(StiefelInit.IDENTITY).rectifier(Rectifier.RELU).updater(updater).build(),
      transform(3).updater(updater).build(),
      new SpdVectorizationLayer.Builder().powerFloor(0.2).l2Normalization(false).scale(3).build()
    };
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
            .refuses(
                "powerFloor", floor -> new SpdVectorizationLayer.Builder().powerFloor(floor), NONE)
            .refuses("scale", by -> new SpdVectorizationLayer.Builder().scale(by), NONE)
            .refuses(new SpdVectorizationLayer.Builder().dropOut(0.5), "dropout")
            .on(matrices)
            .atKinks(zeros(2, 1), zeros(2, 4), symmetric(2, 1))
            .on(Check.HOST, large)
            .in(Check.GRADIENT, intoVector(vectorization(false, true, 1)))
            .in(Check.GRADIENT, intoVector(vectorization(true, false, 1)))
            .in(Check.GRADIENT, intoVector(vectorization(true, true, 10)))
            .in(Check.GRADIENT, intoVector(vectorization(false, false, 0.5)))
            .in(
                Check.GRADIENT,
                intoVector(new SpdVectorizationLayer.Builder().powerFloor(0.3).build()))
            .in(Check.INPUT, ofFixedWidth(), vectorization(true, false, 1)));
  }

  private static Layer[] intoVector(SpdLayer vectorization) {
    return new Layer[] {ofFixedWidth(), transform(3).build(), vectorization};
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
            .on(Check.HOST, positive(32, 40), positive(2, 70), zeros(32, 40), zeros(2, 70))
            .refuses(
                new MatrixSquareRootLayer.Builder().iterations(0),
                "at least 1 iteration",
                "iterations = 0")
            .in(covariance(0), squareRoot(4), vectorization(true, false, 1))
            .in(Check.GRADIENT, beforeDense(new MatrixSquareRootLayer.Builder().build()))
            .in(Check.GRADIENT, beforeDense(squareRoot(1))));
  }

  private static SpdLayer squareRoot(int iterations) {
    return new MatrixSquareRootLayer.Builder().iterations(iterations).build();
  }

  private static List<LayerCase> sparseInverse() {
    SparseInverseLayer.Builder layer = new SparseInverseLayer.Builder();
    return List.of(
        LayerCase.of(new SparseInverseLayer.Builder().steps(2).build())
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
            .refuses(new SparseInverseLayer.Builder().steps(-1), "steps = -1")
            .refuses(new SparseInverseLayer.Builder().sparsity(-1), "sparsity = -1.0")
            .refuses(new SparseInverseLayer.Builder().rate(0), "a finite rate", "rate = 0.0")
            .refuses(new SparseInverseLayer.Builder().iterations(0), "at least 1 iteration")
            .on(positive(3, 5))
            .atKinks(zeros(2, 1), zeros(2, 5))
            .in(
                aggregation(new LedoitWolfKernel(), 0),
                new ShrinkageLayer.Builder().learntFrom(0.2).traceNormalization(true).build(),
                new SparseInverseLayer.Builder().steps(2).build(),
                plainVector())
            .in(Check.GRADIENT, beforeDense(new SparseInverseLayer.Builder().steps(1).build()))
            .in(
                Check.GRADIENT,
                beforeDense(new SparseInverseLayer.Builder().steps(0).iterations(1).build()))
            .in(
                Check.DEGENERATE,
                covariance(0),
                new SparseInverseLayer.Builder().build(),
                vector()));
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
            .refuses("floor", floor -> new LogEigLayer.Builder().floor(floor), NO_FLOOR)
            .refuses(new LogEigLayer.Builder().floor(0), "a finite floor greater than 0")
            .refuses(new LogEigLayer.Builder().dropOut(0.5), "dropout")
            .refuses("floor", floor -> new ReEigLayer.Builder().floor(floor), NO_FLOOR)
            .refuses("floor", floor -> new MatrixPowerLayer.Builder().floor(floor), NO_FLOOR)
            .refuses(
                "exponent",
                exponent -> new MatrixPowerLayer.Builder().exponent(exponent),
                0,
                Double.NaN,
                Double.NEGATIVE_INFINITY)
            .refuses(new MatrixPowerLayer.Builder().exponent(0), "a finite exponent other than 0")
            .without(Check.ALGEBRA, LAPACK)
            .in(
                aggregation(new RbfKernel(Bandwidth.fixed(2)), 0.1),
                new LogEigLayer.Builder().build(),
                plainVector())
            .in(
                covariance(0.01),
                transform(4).build(),
                new ReEigLayer.Builder().floor(0.1).build(),
                transform(3).build(),
                new LogEigLayer.Builder().floor(0.01).build(),
                plainVector())
            .in(
                covariance(0.1),
                new MatrixPowerLayer.Builder().exponent(0.75).build(),
                plainVector())
            .in(Check.GRADIENT, beforeDense(new ReEigLayer.Builder().floor(0.5).build()))
            .in(Check.GRADIENT, beforeDense(new LogEigLayer.Builder().floor(0.5).build()))
            .in(Check.GRADIENT, beforeDense(power(0.5)))
            .in(Check.GRADIENT, beforeDense(power(0.25)))
            .in(Check.GRADIENT, beforeDense(power(-1.5))),
        LayerCase.of(new ExpEigLayer.Builder().build())
            .on(spectra())
            .atKinks(small(3, 1), small(3, 2), small(3, 5), small(3, 20))
            .without(Check.ALGEBRA, LAPACK)
            .in(covariance(0), new ExpEigLayer.Builder().build(), vector())
            .in(Check.GRADIENT, beforeDense(new ExpEigLayer.Builder().build())));
  }

  private static SpdLayer power(double exponent) {
    return new MatrixPowerLayer.Builder().exponent(exponent).floor(0.5).build();
  }

  private static Layer[] beforeDense(SpdLayer function) {
    return new Layer[] {covariance(0), function, dense()};
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
            .without(Check.ALGEBRA, LAPACK)
            .in(covariance(0.1), transform(4).build(), new LogCholeskyLayer.Builder().build()));
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
            .without(Check.ALGEBRA, ENTRIES)
            .refuses(
                "shrinkage",
                share -> new ShrinkageLayer.Builder().shrinkage(share),
                -0.1,
                1.1,
                Double.NaN)
            .refuses(new ShrinkageLayer.Builder().shrinkage(1.1), "a shrinkage from 0 to 1")
            .refuses(
                new ShrinkageLayer.Builder(),
                "a shrinkage greater than 0, or traceNormalization(true)")
            .refuses(
                new ShrinkageLayer.Builder().learntFrom(1),
                "between 0 and 1 where it is learnt",
                "shrinkage = 1.0")
            .in(Check.GRADIENT, beforeDense(new ShrinkageLayer.Builder().shrinkage(0.3).build()))
            .in(Check.GRADIENT, beforeDense(new ShrinkageLayer.Builder().learntFrom(0.3).build()))
            .in(
                Check.DEGENERATE,
                new KernelAggregationLayer.Builder()
                    .kernel(new CovarianceKernel())
                    .dropOut(new DropCov())
                    .build(),
                new ShrinkageLayer.Builder()
                    .learntFrom(0.1)
                    .traceNormalization(true)
                    .dropOut(new SpdDropout(0.7))
                    .build(),
                vector()));
  }

  private static final String ENTRIES = "the passes go over entries by ND4J, whatever the algebra";

  private static List<LayerCase> spdBatchNormalization() {
    return List.of(
        LayerCase.of(
                batchNormalization(LogMetric.EUCLIDEAN).floor(0.01).build(),
                batchNormalization(LogMetric.CHOLESKY).floor(0.01).build(),
                affineNormalization().floor(0.01).build())
            .on(definite(3, 1), definite(3, 2), definite(3, 5))
            .without(Check.ALGEBRA, LAPACK)
            .without(Check.AUTODIFF, TRAINING)
            .without(Check.HOST, TRAINING)
            .startingWith(LayerCases::moveStatistics),
        LayerCase.of(
                batchNormalization(LogMetric.EUCLIDEAN).domains(2).build(),
                batchNormalization(LogMetric.CHOLESKY).domains(2).build(),
                affineNormalization().domains(2).build())
            .refuses(
                new SpdBatchNormalizationLayer.Builder().domains(0),
                "at least 1 domain, got domains = 0")
            .refuses(
                new SpdBatchNormalizationLayer.Builder().decay(1),
                "decay of at least 0 and less than 1, got")
            .refuses(new SpdBatchNormalizationLayer.Builder().decay(-0.1), "decay = -0.1")
            .refuses(
                new SpdBatchNormalizationLayer.Builder().eps(0),
                "finite eps greater than 0, got eps = 0")
            .refuses(
                new SpdBatchNormalizationLayer.Builder().floor(Double.NaN),
                "finite floor greater than 0")
            .refuses(new SpdBatchNormalizationLayer.Builder().l2(0.1), "no regularisation")
            .refuses(
                batchNormalization(LogMetric.CHOLESKY).affineInvariant(true),
                "either the affine-invariant metric or another, got both, CHOLESKY")
            .on(ofTwoDomains(1), ofTwoDomains(2), ofTwoDomains(5))
            .without(Check.ALGEBRA, LAPACK)
            .without(Check.AUTODIFF, TRAINING)
            .without(Check.HOST, TRAINING)
            .startingWith(LayerCases::moveStatistics)
            .in(
                covariance(0.1),
                batchNormalization(LogMetric.EUCLIDEAN).build(),
                transform(3).build(),
                batchNormalization(LogMetric.CHOLESKY).build(),
                new LogCholeskyLayer.Builder().build())
            .in(Check.DEGENERATE, covariance(0), affineNormalization().build(), vector())
            .in(
                Check.DEGENERATE,
                covariance(0),
                batchNormalization(LogMetric.EUCLIDEAN).build(),
                vector())
            .in(
                Check.DEGENERATE,
                covariance(1e-3),
                batchNormalization(LogMetric.CHOLESKY).build(),
                new LogEigLayer.Builder().build(),
                vector()));
  }

  private static final String TRAINING =
      "the statistics are those of the batch in training, and those of the definition otherwise";

  private static SpdBatchNormalizationLayer.Builder batchNormalization(LogMetric metric) {
    return new SpdBatchNormalizationLayer.Builder().metric(metric);
  }

  private static SpdBatchNormalizationLayer.Builder affineNormalization() {
    return new SpdBatchNormalizationLayer.Builder().affineInvariant(true);
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

  private static void moveStatistics(org.deeplearning4j.nn.api.Layer layer) {
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
            .without(Check.ALGEBRA, ENTRIES)
            .in(
                new ScaleShiftLayer.Builder().build(),
                new ScaleShiftLayer.Builder().rectified(true).build(),
                bilinear(false, true, 1)));
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
            .on(Check.HOST, large)
            .refuses(
                new BilinearPoolingLayer.Builder().scale(0),
                "expected a finite scale greater than 0, got scale = 0.0")
            .in(bilinear(true, true, 1))
            .in(Check.GRADIENT, bilinear(true, false, 1))
            .in(Check.INPUT, bilinear(true, false, 1))
            .in(
                Check.GRADIENT,
                new BilinearPoolingLayer.Builder().powerFloor(0.3).scale(10).build())
            .in(Check.GRADIENT, bilinear(false, true, 1))
            .in(Check.GRADIENT, bilinear(false, false, 0.5)));
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
            .refuses(
                new CompactBilinearLayer.Builder(), "sketchSize(d) of at least 1", "sketchSize = 0")
            .on(Check.DEFINITION, maps(3, 5, 4, 3), maps(1, 5, 4, 3), maps(3, 1, 4, 3))
            .in(new CompactBilinearLayer.Builder().sketchSize(7).seed(5).powerFloor(0.1).build()));
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
            .without(Check.ALGEBRA, DEFINED)
            .in(new TextureEncodingLayer.Builder().words(3).build())
            .refuses(
                new TextureEncodingLayer.Builder().words(0),
                "expected at least 1 codeword, got words = 0")
            .refuses(new TextureEncodingLayer.Builder().scale(-1), "scale = -1.0")
            .refuses(
                new TextureEncodingLayer.Builder().constrainWeights(new MaxNormConstraint(1, 1)),
                "constraints")
            .in(
                Check.GRADIENT,
                new TextureEncodingLayer.Builder()
                    .words(2)
                    .powerNormalization(true)
                    .scale(3)
                    .build()));
  }

  private static List<LayerCase> fisherVector() {
    SpdLayer all = new FisherVectorLayer.Builder().components(2).build();
    SpdLayer some =
        new FisherVectorLayer.Builder()
            .components(3)
            .dimensions(2)
            .powerNormalization(false)
            .l2Normalization(false)
            .build();
    return List.of(
        LayerCase.of(all, some)
            .refuses(
                new FisherVectorLayer.Builder().components(0),
                "at least 1 component and 1 dimension")
            .refuses(new FisherVectorLayer.Builder().dimensions(-1), "dimensions = -1")
            .refuses(
                new FisherVectorLayer.Builder().components(3).dimensions(4).nIn(3),
                "expected at most 3 dimensions, as many as channels, got")
            .refuses(
                new FisherVectorLayer.Builder().updater(new Adam()),
                "parameters do not learn, got Adam")
            .refuses(new FisherVectorLayer.Builder().l2(0.1), "no regularisation")
            .in(Check.GRADIENT, all)
            .in(some)
            .on(maps(2, 5, 4, 3), maps(3, 6, 4, 5).channelsLast())
            .startingWith(Mixtures::storeIn)
            .without(Check.ALGEBRA, DEFINED));
  }

  private static List<LayerCase> scattering() {
    String noGradient = "it has no backward pass";
    String first = "it stands before all other layers, at pictures";
    return List.of(
        LayerCase.of(new ScatteringLayer.Builder().scales(2).directions(3).build())
            .refuses(new ScatteringLayer.Builder().scales(0), "scales = 0")
            .refuses(new ScatteringLayer.Builder().scales(16).directions(255), "at most 65536 maps")
            .refuses(new ScatteringLayer.Builder().contrast(0), "contrast = 0")
            .on(maps(2, 3, 19, 15), maps(2, 3, 15, 19).channelsLast())
            .without(Check.AUTODIFF, noGradient)
            .without(Check.ALGEBRA, noGradient)
            .without(Check.HOST, noGradient)
            .without(Check.GRADIENT, noGradient)
            .without(Check.JSON, first)
            .without(Check.RUNTIME, first)
            .without(Check.INPUT, first)
            .without(Check.DEGENERATE, first));
  }
}
