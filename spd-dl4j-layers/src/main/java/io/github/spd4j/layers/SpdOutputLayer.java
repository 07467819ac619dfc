/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Bounds;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.charts.Chart;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.internal.runtime.Counted;
import io.github.spd4j.internal.runtime.DefinitionGraphs;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.LayerValidation;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * Classifies symmetric positive definite matrices: multinomial logistic regression on the manifold.
 *
 * <pre>
 * p(k | X) = softmax_k ⟨A_k, Log_{P_k}(X)⟩ = softmax_k (⟨a_k, φ(X)⟩ + b_k)
 * </pre>
 *
 * <p>A class has a point P_k and a tangent vector A_k there, the normal of a hyperplane; the inner
 * product is the signed distance of X from it, times the length of A_k. Under the metrics that this
 * layer has, φ(X), the logarithm of X as a vector ({@link LogMetric#EUCLIDEAN}) or its Cholesky
 * factor with the logarithm of the diagonal ({@link LogMetric#CHOLESKY}), turns {@code Log_P(X)}
 * into {@code φ(X) − φ(P)}, and transport into nothing. So the inner product is {@code ⟨a_k, φ(X) −
 * φ(P_k)⟩}, linear in φ(X), and P_k counts only by {@code b_k = −⟨a_k, φ(P_k)⟩}. The layer learns
 * a_k, the columns of W, and b_k.
 *
 * <p>Shapes: [N, 1, C, C] → [N, classes]; the parameters are W [C(C+1)/2, classes] and b [1,
 * classes], as of DL4J's {@code OutputLayer}, whose loss functions, activations, penalties and
 * weight initialisations it has. Softmax and cross-entropy unless set.
 *
 * <p>Papers: Nguyen, Yang, <i>Building Neural Networks on Matrix Manifolds: A Gyrovector Space
 * Approach</i>, ICML 2023; Chen, Song, Liu, Kompella, Wu, Sebe, <i>Riemannian Multinomial Logistics
 * Regression for SPD Neural Networks</i>, CVPR 2024.
 *
 * <p>When not to use it: where the classifier is to be fitted in closed form, which takes a plain
 * {@code OutputLayer}: put a {@link LogCholeskyLayer}, or a {@link LogEigLayer} and an {@link
 * SpdVectorizationLayer}, before one. With {@link LogMetric#CHOLESKY} a singular matrix is refused.
 */
public final class SpdOutputLayer extends BaseOutputLayer {

  private static final long serialVersionUID = 1L;

  private LogMetric metric;
  private double floor;

  private SpdOutputLayer(Builder builder) {
    super(builder);
    this.metric = Objects.requireNonNull(builder.metric, "metric");
    this.floor = builder.floor;
    if (!(floor > 0) || Double.isInfinite(floor)) {
      throw invalidConfig("a finite floor greater than 0", "floor = " + floor);
    }
    initializeConstraints(builder);
    if (nIn != 0 && Triangle.length(Triangle.rows(nIn)) != nIn) {
      throw invalidConfig("nIn(C(C+1)/2) for matrices of C rows", "nIn = " + nIn);
    }
  }

  private SpdOutputLayer() {} // for Jackson

  /**
   * The metric.
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
   * The gradient by matrices of what depends on their coordinates φ.
   *
   * @param matrices X [N, 1, C, C]
   * @param gradient the gradient by φ(X) [N, C(C+1)/2]
   * @return the gradient by X [N, 1, C, C], of the type of the matrices
   */
  public INDArray backward(INDArray matrices, INDArray gradient) {
    ForwardPass saved = new ForwardPass();
    saved.begin(matrices, Map.of(), true);
    Chart chart = metric.chart(floor);
    input().coordinates(chart, matrices, saved);
    INDArray result = chart.backward(gradient.castTo(DataType.DOUBLE), saved);
    return result.reshape(matrices.shape()).castTo(matrices.dataType());
  }

  private MatrixInput input() {
    return new MatrixInput(describe(), 1, nIn == 0 ? 0 : Triangle.rows(nIn));
  }

  private String describe() {
    return "SpdOutputLayer" + (layerName == null ? "" : " '" + layerName + "'");
  }

  private DL4JInvalidConfigException invalidConfig(String wants, String got) {
    return LayerInput.invalidConfig(describe(), wants, got);
  }

  @Override
  public ParamInitializer initializer() {
    return DefaultParamInitializer.getInstance();
  }

  @Override
  public InputPreProcessor getPreProcessorForInputType(InputType inputType) {
    return input().preProcessorFor(inputType, layerName);
  }

  @Override
  public void setNIn(InputType inputType, boolean override) {
    if (nIn == 0 || override) {
      this.nIn = Triangle.length(Math.toIntExact(input().sizeOf(inputType)));
    }
  }

  @Override
  public InputType getOutputType(int layerIndex, InputType inputType) {
    input().requireFit(inputType);
    return InputType.feedForward(nOut);
  }

  @Override
  public org.deeplearning4j.nn.api.Layer instantiate(
      NeuralNetConfiguration conf,
      Collection<TrainingListener> trainingListeners,
      int layerIndex,
      INDArray layerParamsView,
      boolean initializeParams,
      DataType networkDataType) {
    LayerValidation.assertNInNOutSet("SpdOutputLayer", layerName, layerIndex, nIn, nOut);
    Runtime layer = new Runtime(conf, networkDataType, Backend.current());
    layer.setListeners(trainingListeners);
    layer.setIndex(layerIndex);
    layer.setParamsViewArray(layerParamsView);
    layer.setParamTable(initializer().init(conf, layerParamsView, initializeParams));
    layer.setConf(conf);
    return layer;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof SpdOutputLayer
        && super.equals(o)
        && metric == ((SpdOutputLayer) o).metric
        && floor == ((SpdOutputLayer) o).floor;
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), metric, floor);
  }

  @Override
  public String toString() {
    return String.format(
        "%s(nIn=%s, nOut=%s, metric=%s, floor=%s)", describe(), nIn, nOut, metric, floor);
  }

  /** DL4J's own output layer, whose input are the coordinates of the matrices. */
  private static final class Runtime
      extends org.deeplearning4j.nn.layers.BaseOutputLayer<SpdOutputLayer> {

    private static final long serialVersionUID = 1L;

    private final transient ForwardPass saved = new ForwardPass();
    private final transient Chart chart;
    private final transient Backend backend;

    /** The mask of the input; that of the labels is the {@code maskArray}. */
    private transient INDArray inputMask;

    private transient Counted counted = Counted.ALL;

    /** The coordinates by their definition; null where closed formulas compute them. */
    private final transient DefinitionGraphs graphs;

    Runtime(NeuralNetConfiguration conf, DataType dataType, Backend backend) {
      super(conf, dataType);
      this.backend = backend;
      SpdOutputLayer layer = (SpdOutputLayer) conf.getLayer();
      this.chart = layer.metric.chart(layer.floor);
      this.graphs = backend.isDefined() ? new DefinitionGraphs(this::define, List.of()) : null;
    }

    private SDVariable define(
        SameDiff sd, SDVariable input, Map<String, SDVariable> none, SDVariable mask) {
      int n = Math.toIntExact(input.getShape()[2]);
      return chart.define(sd, sd.reshape(input, -1, n, n), n);
    }

    @Override
    public void setInput(INDArray matrices, LayerWorkspaceMgr workspaceMgr) {
      super.setInput(matrices == null ? null : coordinates(matrices), workspaceMgr);
    }

    /** Outside workspaces: what is decomposed is needed until the backward pass. */
    private INDArray coordinates(INDArray all) {
      SpdOutputLayer layer = layerConf();
      layer.input().requireShape(all);
      counted = inputMask == null ? Counted.ALL : layer.input().counted(inputMask, all);
      try (Backend.Pass pass = backend.pass();
          MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        INDArray matrices = counted.ofOutput(all);
        layer.input().checked(matrices, backend.algebra(), false).run();
        saved.begin(matrices, Map.of(), true);
        INDArray coordinates =
            graphs == null
                ? layer.input().coordinates(chart, matrices, saved)
                : graphs.forward(matrices, saved, Runtime::array);
        return counted.spread(coordinates, Runtime::array).castTo(dataType);
      } catch (NotFiniteException e) {
        throw new NotFiniteException(layer.describe() + ": " + e.getMessage());
      }
    }

    @Override
    public Pair<Gradient, INDArray> backpropGradient(
        INDArray epsilon, LayerWorkspaceMgr workspaceMgr) {
      Pair<Gradient, INDArray> pair = super.backpropGradient(epsilon, workspaceMgr);
      MemoryWorkspace before = Nd4j.getMemoryManager().getCurrentWorkspace();
      long[] shape = saved.input().shape().clone();
      shape[0] = pair.getSecond().size(0);
      INDArray result =
          workspaceMgr.createUninitialized(ArrayType.ACTIVATION_GRAD, dataType, shape, 'c');
      Nd4j.getMemoryManager().setCurrentWorkspace(before);
      try (Backend.Pass pass = backend.pass();
          MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        INDArray byCoordinates = counted.ofOutput(pair.getSecond().castTo(DataType.DOUBLE));
        INDArray byMatrices =
            graphs == null
                ? chart.backward(byCoordinates, saved)
                : graphs.backward(byCoordinates, Map.of(), saved, Runtime::array);
        result.assign(counted.spread(byMatrices, Runtime::array).reshape(shape));
      }
      return new Pair<>(pair.getFirst(), result);
    }

    /** Of DOUBLE, ND4J's softmax does not subtract the largest itself, and is NaN far from zero. */
    @Override
    protected INDArray preOutput(boolean training, LayerWorkspaceMgr workspaceMgr) {
      INDArray z = super.preOutput(training, workspaceMgr);
      return layerConf().getActivationFn() instanceof ActivationSoftmax
          ? z.subiColumnVector(z.max(true, 1))
          : z;
    }

    @Override
    public Pair<INDArray, MaskState> feedForwardMaskArray(
        INDArray mask, MaskState state, int minibatchSize) {
      if (mask != null) {
        layerConf().input().requireMask(mask);
      }
      inputMask = mask;
      INDArray ofExamples = mask == null ? null : LayerOutput.VECTOR.maskOf(mask);
      return super.feedForwardMaskArray(ofExamples, state, minibatchSize);
    }

    @Override
    public void setMaskArray(INDArray mask) {
      super.setMaskArray(mask);
      if (mask == null) {
        inputMask = null;
      }
    }

    private static INDArray array(long... shape) {
      return Nd4j.createUninitialized(DataType.DOUBLE, shape, 'c');
    }

    @Override
    protected INDArray getLabels2d(LayerWorkspaceMgr workspaceMgr, ArrayType arrayType) {
      return labels;
    }

    @Override
    public void clear() {
      super.clear();
      saved.end();
    }
  }

  /** Builds an {@link SpdOutputLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends BaseOutputLayer.Builder<Builder> {
    private LogMetric metric = LogMetric.EUCLIDEAN;
    private double floor = NumericPolicy.EIGENVALUE_FLOOR;

    /** A builder with softmax, cross-entropy and the log-Euclidean metric. */
    public Builder() {
      this(LossFunction.MCXENT);
    }

    /**
     * A builder with another loss function; set an activation that goes with it.
     *
     * @param lossFunction the loss function
     */
    public Builder(LossFunction lossFunction) {
      this(Objects.requireNonNull(lossFunction, "lossFunction").getILossFunction());
    }

    /**
     * A builder with another loss function; set an activation that goes with it.
     *
     * @param lossFunction the loss function
     */
    public Builder(ILossFunction lossFunction) {
      super(Objects.requireNonNull(lossFunction, "lossFunction"));
      this.activationFn = new ActivationSoftmax();
    }

    /**
     * The length C(C+1)/2 of the coordinates of a matrix. Needed only where no input type is set
     * from which it can be inferred, as when layers are added to a pretrained network.
     *
     * @param length C(C+1)/2
     * @return this builder
     */
    @Override
    public Builder nIn(int length) {
      return super.nIn(length);
    }

    /**
     * The metric, {@link LogMetric#EUCLIDEAN} unless set.
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

    @Override
    public SpdOutputLayer build() {
      SpdOutputLayer layer = new SpdOutputLayer(this);
      Bounds.beyond(layer)
          .ifPresent(
              number -> {
                throw layer.invalidConfig(SpdLayer.bound(number.getKey()), SpdLayer.got(number));
              });
      return layer;
    }
  }
}
