/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.point;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.charts.AffineNormalizationGraph;
import io.github.spd4j.internal.operators.charts.BatchNormalization;
import io.github.spd4j.internal.operators.charts.BatchNormalizationGraph;
import io.github.spd4j.internal.operators.charts.Chart;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.internal.runtime.DefinitionGraphs;
import io.github.spd4j.internal.runtime.DifferentiatedRuntimeLayer;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.manifold.SpdMetric;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Batch normalisation of symmetric positive definite matrices: moves the Fréchet mean of a batch to
 * a matrix B that is learnt, and its Fréchet variance to s², which is learnt too.
 *
 * <pre>
 * x_i = φ(X_i),   m = Σ x_i / N,   v² = Σ ‖x_i − m‖² / N       of the batch
 * φ(Y_i) = s (x_i − m) / √(v² + ε) + b,   b = φ(B)
 * </pre>
 *
 * <p>φ(X) is the logarithm of X as a vector ({@link LogMetric#EUCLIDEAN}), or its Cholesky factor
 * with the logarithm of the diagonal ({@link LogMetric#CHOLESKY}), in which these metrics are
 * Euclidean.
 *
 * <p>With {@link Builder#affineInvariant} they are those of the affine-invariant metric, whose mean
 * M is one step of Karcher's iteration from the arithmetic mean:
 *
 * <pre>
 * c_i = log(M^(−1/2) X_i M^(−1/2)),   v² = Σ ‖c_i‖² / N
 * Y_i = B^(1/2) exp(s c_i / √(v² + ε)) B^(1/2)
 * </pre>
 *
 * <p>The logarithms of B and of the running mean are the parameters, and the latter follows the
 * geodesic to the batch's. Smaller eigenvalues of X are raised to the floor first.
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C]; the parameters are {@link #BIAS} b [1, C(C+1)/2], which
 * starts at 0 (B = I), {@link #DISPERSION} s [1, 1], which starts at 1, and the running {@link
 * #MEAN} [1, C(C+1)/2] and {@link #VARIANCE} [1, 1].
 *
 * <p>With {@linkplain Builder#domains D domains}, such as people or cameras that the examples come
 * from, each has a mean and a variance of its own, and B and s are common: shapes [N, 2, C, C] →
 * [N, 1, C, C], and D rows of {@link #MEAN} and {@link #VARIANCE}. The second channel of the input
 * is the number of the example's domain in every entry. In a {@code ComputationGraph} layers of
 * DL4J make it of a second input [N, 1, 1, 1]:
 *
 * <pre>{@code
 * .addInputs("image", "domain").setInputTypes(image, InputType.convolutional(1, 1, 1))
 * …
 * .addLayer("domains", new Upsampling2D.Builder(C).build(), "domain")
 * .addVertex("both", new MergeVertex(), "matrix", "domains")
 * .addLayer("norm", new SpdBatchNormalizationLayer.Builder().domains(3).build(), "both")
 * }</pre>
 *
 * <p>In training the statistics are those of the batch, and the backward pass goes through them.
 * Each step moves the running ones towards them, {@code running ← decay · running + (1 − decay) ·
 * batch}; no gradient, updater or penalty does. They are saved with the network, and {@code
 * output()}, evaluation and frozen layers use them. The only example of a batch, or of its domain
 * in the batch, has no variance: it is normalised by the running statistics and leaves them as they
 * are. What is farther than {@link NumericPolicy#FARTHEST_DEVIATION} deviations from a running mean
 * counts as that far.
 *
 * <p>Paper: Chen, Song, Liu, Sebe, <i>A Lie Group Approach to Riemannian Batch Normalization</i>
 * (LieBN), ICLR 2024, algorithm 1. Its centring, scaling and biasing are translations of Lie
 * groups, which under these two metrics are the additions above. A step of gradient descent of b is
 * the paper's Riemannian step of B, and B stays positive definite whatever the updater. The
 * network's L1, L2 and weight decay reach neither b nor s. Statistics for each domain: Kobler,
 * Hirayama, Zhao, Kawanabe, <i>SPD Domain-Specific Batch Normalization to Crack Interpretable
 * Unsupervised Domain Adaptation in EEG</i>, NeurIPS 2022 (TSMNet), equations 6 and 10, which also
 * has the affine-invariant variance; that mean: Brooks, Schwander, Barbaresco, Schneider, Cord,
 * <i>Riemannian Batch Normalization for SPD Neural Networks</i>, NeurIPS 2019 (SPDNetBN).
 *
 * <p>When not to use it: with batches of a few examples, or of a few of each domain, whose mean is
 * mostly noise. With {@link LogMetric#EUCLIDEAN} there are two eigendecompositions of each matrix.
 * Rounded to FLOAT, a matrix that is many deviations from the mean need not be positive definite:
 * if images may be degenerate, follow it with a {@link LogEigLayer} or {@link ReEigLayer}, not with
 * a {@link LogCholeskyLayer}, which would refuse it.
 */
public final class SpdBatchNormalizationLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** The share of the running statistics that a step keeps, unless set. */
  public static final double DEFAULT_DECAY = 0.9;

  /** ε unless set. */
  public static final double DEFAULT_EPS = 1e-5;

  /** The name of the parameter b. */
  public static final String BIAS = "bias";

  /** The name of the parameter s. */
  public static final String DISPERSION = "dispersion";

  /** The name of the running m, which is not learnt. */
  public static final String MEAN = "mean";

  /** The name of the running v², which is not learnt. */
  public static final String VARIANCE = "variance";

  /** About how many of each matrix the graph of its definition keeps. */
  private static final int AFFINE_MATRICES = 40;

  private LogMetric metric;
  private double floor;
  private double decay;
  private double eps;
  private int domains;
  private boolean affineInvariant;

  private SpdBatchNormalizationLayer(Builder builder) {
    super(builder);
    this.metric = Objects.requireNonNull(builder.metric, "metric");
    this.floor = builder.floor;
    this.decay = builder.decay;
    this.eps = builder.eps;
    this.domains = builder.domains;
    this.affineInvariant = builder.affineInvariant;
    if (!regularization.isEmpty() || !regularizationBias.isEmpty()) {
      throw invalidConfig("no regularisation, which its parameters do not have", "one");
    }
  }

  @Override
  void requireSound() {
    if (affineInvariant && metric != LogMetric.EUCLIDEAN) {
      throw invalidConfig("either the affine-invariant metric or another", "both, " + metric);
    }
    if (!(floor > 0) || Double.isInfinite(floor)) {
      throw invalidConfig("a finite floor greater than 0", "floor = " + floor);
    }
    if (!(decay >= 0 && decay < 1)) {
      throw invalidConfig("a decay of at least 0 and less than 1", "decay = " + decay);
    }
    if (!(eps > 0) || Double.isInfinite(eps)) {
      throw invalidConfig("a finite eps greater than 0", "eps = " + eps);
    }
    if (domains < 1) {
      throw invalidConfig("at least 1 domain", "domains = " + domains);
    }
  }

  private SpdBatchNormalizationLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return matrices();
  }

  /** Where domains are told apart, the second channel tells them. */
  private MatrixInput matrices() {
    return matrix(domains > 1 ? 2 : 1);
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  /**
   * The metric of mean and variance.
   *
   * @return the metric
   */
  public LogMetric getMetric() {
    return metric;
  }

  /**
   * What smaller eigenvalues are raised to, under {@link LogMetric#EUCLIDEAN}.
   *
   * @return the floor
   */
  public double getFloor() {
    return floor;
  }

  /**
   * The share of the running statistics that a step keeps.
   *
   * @return the decay
   */
  public double getDecay() {
    return decay;
  }

  /**
   * What is added to the variance.
   *
   * @return ε
   */
  public double getEps() {
    return eps;
  }

  /**
   * How many domains have statistics of their own.
   *
   * @return the number of domains, 1 if the examples are not told apart
   */
  public int getDomains() {
    return domains;
  }

  /**
   * Whether mean and variance are those of the affine-invariant metric.
   *
   * @return false unless set
   */
  public boolean isAffineInvariant() {
    return affineInvariant;
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    long length = Triangle.length(inputSize());
    params.addBiasParam(BIAS, 1, length);
    params.addWeightParam(DISPERSION, 1, 1);
    params.addWeightParam(MEAN, domains, length);
    params.addWeightParam(VARIANCE, domains, 1);
  }

  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    params.get(BIAS).assign(0);
    params.get(DISPERSION).assign(1);
    params.get(MEAN).assign(0);
    params.get(VARIANCE).assign(1);
  }

  @Override
  public boolean isLearnt(String param) {
    return !param.equals(MEAN) && !param.equals(VARIANCE);
  }

  @Override
  void validateParams(Map<String, INDArray> params) {
    params.forEach((name, array) -> requireFinite(array, name, ""));
    INDArray variance = params.get(VARIANCE);
    if (variance != null && variance.minNumber().doubleValue() < 0) {
      throw new IllegalStateException(
          String.format(
              "%s: expected %s not below 0, got %s", describe(), VARIANCE, variance.minNumber()));
    }
  }

  /** As the network is used, with the running statistics. */
  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    return define(sd, input, params, BatchNormalizationGraph::byRunning);
  }

  /** As it is in training, with the statistics of the batch. */
  private SDVariable defineTraining(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    return define(sd, input, params, BatchNormalizationGraph::byBatch);
  }

  /** One of the two ways to normalise. */
  private interface Way {
    SDVariable define(
        BatchNormalizationGraph graph, SDVariable mean, SDVariable variance, double epsilon);
  }

  private SDVariable define(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, Way way) {
    int n = Math.toIntExact(input.getShape()[2]);
    Chart chart = metric.chart(floor);
    Map<String, SDVariable> inDouble = new HashMap<>();
    params.forEach((name, p) -> inDouble.put(name, p.castTo(DataType.DOUBLE)));
    SDVariable matrices = input;
    SDVariable domain = null;
    if (domains > 1) {
      SDVariable channels = sd.reshape(input, -1, 2, (long) n * n);
      INDArray first = Nd4j.createFromArray(1.0, 0.0).castTo(input.dataType());
      matrices = channels.mul(sd.constant(first.reshape(1, 2, 1))).sum(1);
      INDArray number = Nd4j.zeros(input.dataType(), 2L * n * n, 1).putScalar((long) n * n, 1);
      domain = sd.mmul(sd.reshape(input, -1, 2L * n * n), sd.constant(number));
      // A whole number is exact, as a held one is not in FLOAT; no gradient passes by either.
      domain = domain.castTo(DataType.INT64).castTo(DataType.DOUBLE);
    }
    matrices = sd.reshape(matrices, -1, n, n);
    if (affineInvariant) {
      SDVariable exact = matrices.castTo(DataType.DOUBLE);
      SDVariable positive = SpectralFunction.rectifier(floor).define(sd, exact, n);
      AffineNormalizationGraph graph =
          new AffineNormalizationGraph(sd, positive, floor, n, domain, domains);
      SDVariable normalised = way.define(graph, inDouble.get(MEAN), inDouble.get(VARIANCE), eps);
      SDVariable y =
          graph.defineOutput(normalised.mul(inDouble.get(DISPERSION)), inDouble.get(BIAS));
      return sd.reshape(y, -1, 1, n, n).castTo(input.dataType());
    }
    SDVariable x = chart.define(sd, matrices, n);
    SDVariable normalised =
        way.define(
            new BatchNormalizationGraph(sd, x, Triangle.length(n), domain, domains),
            inDouble.get(MEAN),
            inDouble.get(VARIANCE),
            eps);
    SDVariable y = normalised.mul(inDouble.get(DISPERSION)).add(inDouble.get(BIAS));
    return sd.reshape(chart.defineInverse(sd, y, n), -1, 1, n, n).castTo(input.dataType());
  }

  @Override
  SpdRuntimeLayer defined(NeuralNetConfiguration conf, DataType type, Backend backend) {
    DefinitionGraphs training =
        new DefinitionGraphs(
            this::defineTraining, List.of(BatchNormalization.MEANS, BatchNormalization.VARIANCES));
    return new Defined(conf, type, backend, training);
  }

  /** The passes of the layer by its definition in SameDiff. */
  private final class Defined extends DifferentiatedRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient DefinitionGraphs training;
    private final transient DefinitionGraphs inference =
        new DefinitionGraphs(SpdBatchNormalizationLayer.this::define, List.of());

    Defined(
        NeuralNetConfiguration conf, DataType type, Backend backend, DefinitionGraphs training) {
      super(conf, type, backend, training);
      this.training = training;
    }

    @Override
    protected DefinitionGraphs graphs(ForwardPass saved) {
      domains(saved.input()); // refuses other numbers
      return saved.isInference() ? inference : training;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray result = super.backward(gradient, paramGradients, saved, results);
      if (!saved.isInference()) {
        BatchNormalization.Statistics running = running(saved);
        if (affineInvariant) {
          running.follow(
              domains(saved.input()), saved, decay, SpdBatchNormalizationLayer::moveOnGeodesic);
        } else {
          running.follow(domains(saved.input()), saved, decay);
        }
      }
      return result;
    }
  }

  private static void moveOnGeodesic(INDArray running, INDArray batch, double decay) {
    Chart chart = Chart.logEuclidean();
    INDArray from = chart.inverse(row(running), new ForwardPass());
    INDArray to = chart.inverse(row(batch), new ForwardPass());
    INDArray next = SpdMetric.affineInvariant().geodesic(from, to, 1 - decay);
    running.assign(chart.forward(next, new ForwardPass()).reshape(running.shape()));
  }

  private static INDArray row(INDArray vector) {
    return vector.castTo(DataType.DOUBLE).reshape(1, vector.length());
  }

  private static BatchNormalization.Statistics running(ForwardPass saved) {
    return new BatchNormalization.Statistics(saved.param(MEAN), saved.param(VARIANCE));
  }

  /** In double precision, whatever the type. */
  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return affineInvariant ? defined(conf, type, backend) : new Normalizing(conf, type, backend);
  }

  private final class Normalizing extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient Chart chart = metric.chart(floor);
    private final transient BatchNormalization normalization = new BatchNormalization(eps);

    Normalizing(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray output = results.create(input.size(0), 1, input.size(2), input.size(3));
      named(
          () -> {
            INDArray normalised =
                normalization.forward(
                    matrices().coordinates(chart, matrices().withoutRest(input), saved),
                    domains(input),
                    running(saved),
                    dispersion(saved),
                    saved.param(BIAS),
                    saved);
            output.assign(chart.inverse(normalised, saved).reshape(output.shape()));
          });
      requireFinite(
          output,
          "its output",
          ": its input is far from the running mean, or s or b"
              + " is too large; lower the learning rate");
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray byOutput = matrices(gradient).castTo(DataType.DOUBLE);
      INDArray byCoordinates =
          normalization.backward(
              chart.inverseBackward(byOutput, saved),
              domains(saved.input()),
              dispersion(saved),
              paramGradients.get(DISPERSION),
              paramGradients.get(BIAS),
              saved);
      if (!saved.isInference()) {
        running(saved).follow(domains(saved.input()), saved, decay);
      }
      INDArray result = results.create(saved.input().shape()).assign(0);
      INDArray byMatrices = matrices().withoutRest(result);
      byMatrices.assign(chart.backward(byCoordinates, saved).reshape(byMatrices.shape()));
      return result;
    }

    private double dispersion(ForwardPass saved) {
      return saved.param(DISPERSION).getDouble(0);
    }
  }

  /** The domain of each example, which the second channel has in every entry. */
  private int[] domains(INDArray input) {
    int[] result = new int[Math.toIntExact(input.size(0))];
    for (int i = 0; i < result.length && domains > 1; i++) {
      INDArray numbers = input.get(point(i), point(1), all(), all());
      double least = numbers.minNumber().doubleValue();
      double largest = numbers.maxNumber().doubleValue();
      if (!(least == largest && least == Math.rint(least) && least >= 0 && least < domains)) {
        throw new DL4JInvalidInputException(
            String.format(
                "%s: expected the number of a domain, a whole number from 0 to %s, in all entries"
                    + " of the second channel of its input, got %s to %s (example %s of the batch)",
                describe(), domains - 1, least, largest, i));
      }
      result[i] = (int) least;
    }
    return result;
  }

  @Override
  long savedElements(InputType inputType) {
    long size = sizeOf(inputType);
    long matrices = affineInvariant ? AFFINE_MATRICES : 4;
    return 2 * (matrices * size * size + size * (size + 1) / 2); // in double precision, twice
  }

  @Override
  public String toString() {
    return String.format(
        "%s(nIn=%s, metric=%s, floor=%s, decay=%s, eps=%s, domains=%s, affineInvariant=%s)",
        describe(), getNIn(), metric, floor, decay, eps, domains, affineInvariant);
  }

  /** Builds an {@link SpdBatchNormalizationLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {
    private LogMetric metric = LogMetric.EUCLIDEAN;
    private double floor = NumericPolicy.EIGENVALUE_FLOOR;
    private double decay = DEFAULT_DECAY;
    private double eps = DEFAULT_EPS;
    private int domains = 1;
    private boolean affineInvariant;

    /** A builder with the log-Euclidean metric and the defaults. */
    public Builder() {}

    /**
     * The metric of mean and variance, {@link LogMetric#EUCLIDEAN} unless set.
     *
     * @param metric the metric
     * @return this builder
     */
    public Builder metric(LogMetric metric) {
      this.metric = metric;
      return this;
    }

    /**
     * What smaller eigenvalues are raised to before the logarithm, under {@link
     * LogMetric#EUCLIDEAN}; the other metric has no eigenvalues.
     *
     * @param epsilon greater than 0; {@link NumericPolicy#EIGENVALUE_FLOOR} unless set
     * @return this builder
     */
    public Builder floor(double epsilon) {
      this.floor = epsilon;
      return this;
    }

    /**
     * The share of the running statistics that a step keeps; {@value #DEFAULT_DECAY} unless set.
     *
     * @param share at least 0, less than 1
     * @return this builder
     */
    public Builder decay(double share) {
      this.decay = share;
      return this;
    }

    /**
     * What is added to the variance; {@value #DEFAULT_EPS} unless set.
     *
     * @param epsilon greater than 0
     * @return this builder
     */
    public Builder eps(double epsilon) {
      this.eps = epsilon;
      return this;
    }

    /**
     * How many domains have a mean and a variance of their own; 1 unless set. With more, the input
     * has a second channel with the domain of each example.
     *
     * @param number at least 1
     * @return this builder
     */
    public Builder domains(int number) {
      this.domains = number;
      return this;
    }

    /**
     * Whether mean and variance are those of the affine-invariant metric, as in SPDNetBN and
     * TSMNet, in place of {@link #metric}; false unless set. SameDiff computes it, which is many
     * times slower and prints the operations that it differentiates.
     *
     * @param affineInvariant true for that metric
     * @return this builder
     */
    public Builder affineInvariant(boolean affineInvariant) {
      this.affineInvariant = affineInvariant;
      return this;
    }

    @Override
    public SpdBatchNormalizationLayer build() {
      return checked(new SpdBatchNormalizationLayer(this), this);
    }
  }
}
