/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.dl4j.GraphView;
import io.github.spd4j.internal.dl4j.Subgraph;
import io.github.spd4j.internal.dl4j.Transfer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.updater.StiefelUpdater;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;

/**
 * Cuts a {@link Backbone} and puts a {@link Head} and a softmax classifier on.
 *
 * <pre>{@code
 * ComputationGraph net =
 *     SpdGraft.onto(Vgg16.pretrained())
 *         .head(Head.spd(512).convolution(512).scale(10))
 *         .classes(47)
 *         .seed(1)
 *         .build();
 * }</pre>
 *
 * <p>Sizes are inferred: the number of feature maps at the cut from the backbone itself, every
 * other size from it and the head. The new network has copies of the backbone's parameters; the
 * backbone stays as it was. Everything that does not lead to the cut is left out, such as auxiliary
 * classifiers. After the cut the network has a vertex {@link Backbone#MAPS}, which changes nothing:
 * by it, whatever comes later finds where the backbone ends, in model files too. {@link #build} may
 * be called repeatedly, and gives a new network each time.
 *
 * <p>How fast each part learns is said in the plan of the training: {@code TrainingPlan.rate}.
 */
public final class SpdGraft {

  /** The name of the 1×1 convolution. */
  public static final String CONVOLUTION = "spd-conv";

  /** The name of the kernel aggregation. */
  public static final String AGGREGATION = "spd-kernel";

  /** The name of the shrinkage of the kernel matrix, if there is one. */
  public static final String SHRINKAGE = "spd-shrinkage";

  /** What the names of the transforms begin with; their number follows, see {@link #transform}. */
  public static final String TRANSFORM = "spd-transform-";

  /** What the names of the rectifiers of eigenvalues begin with; see {@link #rectifier}. */
  public static final String RECTIFIER = "spd-rectifier-";

  /** The name of the batch normalisation of the last matrix, if there is one. */
  public static final String MATRIX_NORMALIZATION = "spd-matrix-norm";

  /** The name of the square root or logarithm of the last matrix. */
  public static final String FUNCTION = "spd-function";

  /** The name of the logarithm of the kernel matrix in a head with a residual connection. */
  public static final String RESIDUAL = "spd-residual";

  /** The name of the vertex that adds that logarithm to {@link #FUNCTION}. */
  public static final String SUM = "spd-sum";

  /**
   * The name of the layer whose output the classifier sees: the vectorisation, an encoding, the
   * (compact) bilinear or the average pooling. Of a joined head it is one of two vectors, see
   * {@link #JOINED}; a head with a {@linkplain Head#spdClassifier classifier of matrices} has none.
   */
  public static final String VECTOR = "spd-vector";

  /** The name of the pooling before new fully connected layers. */
  public static final String POOLING = "spd-pool";

  /** What the names of new fully connected layers begin with; their number follows, from 0. */
  public static final String FULLY_CONNECTED = "spd-fc-";

  /** The name of the batch normalisation after the 1×1 convolution, if there is one. */
  public static final String BATCH_NORMALIZATION = "spd-norm";

  /** The name of the ReLU after the batch normalisation. */
  public static final String RELU = "spd-relu";

  /** The name of the average pooling whose vector is joined with another. */
  public static final String AVERAGE = "spd-average";

  /** The name of the fully connected or averaged vector of length 1 that is joined. */
  public static final String UNIT = "spd-unit";

  /** The name of that vector times the scale of the head, if it has one. */
  public static final String SCALED = "spd-scaled";

  /** The name of the vertex that joins two vectors for the classifier. */
  public static final String JOINED = "spd-joined";

  /** The name of the classifier, which is the network's output. */
  public static final String CLASSIFIER = "spd-out";

  private final Backbone backbone;
  private InputType inputType;
  private Head head;
  private int classes;
  private Long seed;
  private FineTuneConfiguration fineTune = new FineTuneConfiguration.Builder().build();
  private boolean frozen;

  private SpdGraft(Backbone backbone) {
    this.backbone = backbone;
  }

  /**
   * Begins a graft.
   *
   * @param backbone the network and where to cut it; {@link Backbone#of(MultiLayerNetwork, String)}
   *     takes a network of layers
   * @return a graft to be completed
   */
  public static SpdGraft onto(Backbone backbone) {
    return new SpdGraft(Objects.requireNonNull(backbone, "backbone"));
  }

  /**
   * The name of a transform.
   *
   * @param index which one, from 0
   * @return its layer name; its parameter is this name, an underscore and {@link
   *     SpdTransformLayer#W}
   */
  public static String transform(int index) {
    return TRANSFORM + index;
  }

  /**
   * The name of a rectifier of eigenvalues.
   *
   * @param index that of the transform before it, from 0
   * @return its layer name
   */
  public static String rectifier(int index) {
    return RECTIFIER + index;
  }

  /**
   * The images that the backbone takes, if they are no squares of its {@linkplain Backbone#size
   * size}, or if none of its first layers knows the number of channels.
   *
   * @param type convolutional input
   * @return this graft
   */
  public SpdGraft inputType(InputType type) {
    this.inputType = type;
    return this;
  }

  /**
   * What to put on. It must be set.
   *
   * @param head the head
   * @return this graft
   */
  public SpdGraft head(Head head) {
    this.head = head;
    return this;
  }

  /**
   * The number of classes. It must be set.
   *
   * @param classes at least 2
   * @return this graft
   */
  public SpdGraft classes(int classes) {
    if (classes < 2) {
      throw new IllegalArgumentException("expected at least 2 classes, got " + classes);
    }
    this.classes = classes;
    return this;
  }

  /**
   * The seed of the head's first parameters. Unless set, it is that of the {@linkplain #fineTune
   * fine-tune configuration}, or else the backbone's.
   *
   * @param seed the seed; not 0, for which ND4J takes the time of day
   * @return this graft
   */
  public SpdGraft seed(long seed) {
    if (seed == 0) {
      throw new IllegalArgumentException(
          "expected a seed other than 0: for 0 ND4J takes the time of day, and each network"
              + " differs");
    }
    this.seed = seed;
    return this;
  }

  /**
   * What changes for the layers of the backbone, and holds for those of the head that say nothing
   * themselves, for programs that call {@code fit} themselves; a {@code TrainingPlan} has the rates
   * of {@code TwoStageTrainer}. A W on the Stiefel manifold gets the {@linkplain
   * io.github.spd4j.updater.StiefelUpdaters#counterpartOf counterpart} of the updater.
   *
   * <p>Without an updater the backbone keeps its own, and the parts of the head that have none get
   * that of the layer at the cut, or of the nearest before it that has one. If that is one that
   * nobody chose, DL4J's {@code Sgd(0.001)}, or one that does not learn, they get an {@link Adam}
   * with its defaults: the classifier begins at zero, and would stay near it.
   *
   * @param configuration updater, regularisation and so on; it is not changed
   * @return this graft
   */
  public SpdGraft fineTune(FineTuneConfiguration configuration) {
    this.fineTune = configuration;
    return this;
  }

  /**
   * Freezes the backbone up to the cut, for programs that call {@code fit} themselves; {@code
   * TwoStageTrainer} does it in its first stage. Otherwise all of it is trained, even if layers of
   * the given backbone were frozen.
   *
   * @return this graft
   */
  public SpdGraft frozenBackbone() {
    this.frozen = true;
    return this;
  }

  /**
   * The number of feature maps at the cut, for images of any size.
   *
   * @return the number of channels that the head begins with
   */
  public int featureMaps() {
    return Math.toIntExact(maps(0).type().getChannels());
  }

  /**
   * Whether the backbone has fully connected layers of its own between the cut and its classifier,
   * which {@link Head#fullyConnected} then keeps.
   *
   * @return true if it has
   */
  public boolean hasFullyConnected() {
    return FullyConnected.ownClassifier(maps(0)).isPresent();
  }

  private FeatureMaps maps(int size) {
    return new FeatureMaps(backbone.withSize(size), inputType);
  }

  /**
   * Makes the network.
   *
   * @return an initialised network with the single output {@link #CLASSIFIER}
   * @throws IllegalArgumentException if something is missing or does not fit
   */
  public ComputationGraph build() {
    FeatureMaps maps = maps(backbone.size());
    requireSet(head, "head(…)");
    requireSet(fineTune, "a fine-tune configuration");
    requireSet(classes == 0 ? null : classes, "classes(n)");
    ComputationGraph kept =
        Subgraph.upTo(backbone.net(), head.lastKept(maps), backbone.cut(), Backbone.MAPS);
    TransferLearning.GraphBuilder graph =
        Transfer.from(kept, fineTune, seed, updaterOf(maps.backbone()));
    if (frozen) {
      graph.setFeatureExtractor(backbone.cut());
    }
    HeadBuilder builder = new HeadBuilder(graph, new GraphView(kept).names(), maps);
    head.addTo(builder);
    builder.add(CLASSIFIER, classifier(), List.of());
    ComputationGraph net = graph.setOutputs(CLASSIFIER).build();
    head.start(net);
    return net;
  }

  /** The updater of the parts of the head for which nothing is said. */
  private IUpdater updaterOf(GraphView view) {
    IUpdater found =
        view.upTo(backbone.cut()).stream()
            .map(view::layer)
            .filter(BaseLayer.class::isInstance)
            .map(layer -> ((BaseLayer) layer).getIUpdater())
            .filter(updater -> updater != null && !(updater instanceof StiefelUpdater))
            .findFirst()
            .orElse(new Sgd());
    boolean learns =
        !(found instanceof NoOp)
            && (!found.hasLearningRate() || found.getLearningRate(1, 1) > 0); // 0 may be a warm-up
    return learns && !found.equals(new Sgd()) ? found.clone() : new Adam();
  }

  private BaseOutputLayer.Builder<?> classifier() {
    BaseOutputLayer.Builder<?> output = head.classifier();
    output.weightInit(WeightInit.ZERO); // at random, the head would first learn to fit chance
    output.nOut(classes);
    return output;
  }

  private static void requireSet(Object value, String what) {
    if (value == null) {
      throw new IllegalArgumentException("expected " + what + ", got none");
    }
  }
}
