/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import io.github.spd4j.acceleration.Precision;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.lang3.Validate;

/**
 * Every setting of a {@link io.github.spd4j.train.TwoStageTrainer}. Immutable.
 *
 * <p>Start from {@link #recommended()} or {@link #paper()} and change what you want with {@link
 * #toBuilder()}.
 */
public final class TrainingPlan implements Cloneable {

  private Map<Stage, Integer> epochs = new EnumMap<>(Stage.class);
  private Map<Stage, Map<LayerGroup, Double>> rates = new EnumMap<>(Stage.class);
  private long seed = 1;
  private KeptWeights keep = KeptWeights.BEST;
  private Schedule schedule = Plateau.of(0.1, 3, 2);
  private boolean limitClassifierRate;
  private Guard guard = Guard.standard();
  private boolean keepUpdaters;
  private int batchSize = 32;
  private double momentum = 0.9;
  private double weightDecay = 5e-4;
  private ClassifierTraining classifier = ClassifierTraining.LEARNT;
  private Optimizer optimizer = Optimizer.MOMENTUM;
  private Precision precision = Precision.FLOAT;

  private TrainingPlan() {}

  private TrainingPlan copy() {
    try {
      TrainingPlan copy = (TrainingPlan) clone();
      copy.epochs = new EnumMap<>(epochs);
      copy.rates = new EnumMap<>(rates);
      copy.rates.replaceAll((stage, byGroup) -> new EnumMap<>(byGroup));
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  static void require(boolean holds, String what, String expected, Number got) {
    Validate.isTrue(holds, "%s: expected %s, got %s", what, expected, got);
  }

  private static Builder builder() {
    return new Builder(new TrainingPlan()).epochs(Stage.HEAD, 30).epochs(Stage.WHOLE, 30);
  }

  /**
   * The paper's settings: one rate for everything, 0.1 for the head and 0.001 for the whole
   * network, momentum, and a classifier that learns. That is slow for a classifier of unit vectors,
   * and can be unstable elsewhere.
   *
   * @return the plan
   */
  public static TrainingPlan paper() {
    return builder().rates(Stage.HEAD, 0.1).rates(Stage.WHOLE, 0.001).build();
  }

  /**
   * Adam with 0.001 {@linkplain UntilLearnt until the training images are learnt}; less for the
   * classifier where {@linkplain Builder#limitClassifierRate its inputs} ask for it. The classifier
   * is {@linkplain ClassifierTraining#LEARNT_THEN_FITTED fitted at the end of each stage}. Some
   * heads need smaller steps: {@code Head.recommendedPlan()} takes them.
   *
   * <p>There is no stage two: it gains a point or two at most, not with every backbone, and takes
   * longer than all the rest. With {@code epochs(Stage.WHOLE, 30)} its rates are 3e-4, and 1e-4 for
   * the backbone.
   *
   * @return the plan
   */
  public static TrainingPlan recommended() {
    return builder()
        .optimizer(Optimizer.ADAM)
        .schedule(UntilLearnt.start())
        .limitClassifierRate(true)
        .classifier(ClassifierTraining.LEARNT_THEN_FITTED)
        .rates(Stage.HEAD, 1e-3)
        .rates(Stage.WHOLE, 3e-4)
        .rate(Stage.WHOLE, LayerGroup.BACKBONE, 1e-4)
        .epochs(Stage.WHOLE, 0)
        .build();
  }

  /**
   * A classifier that is {@linkplain ClassifierTraining#FITTED fitted throughout}, and small rates
   * for all that learns beside it: 3e-4, and 1e-4 for the backbone in stage two. It begins where a
   * fitted classifier on the untrained head is, so few epochs do. A classifier that cannot be
   * fitted learns with 0.1, and 0.01 in stage two.
   *
   * @return the plan
   */
  public static TrainingPlan fitted() {
    return builder()
        .classifier(ClassifierTraining.FITTED)
        .rates(Stage.HEAD, 3e-4)
        .rate(Stage.HEAD, LayerGroup.CLASSIFIER, 0.1)
        .rates(Stage.WHOLE, 3e-4)
        .rate(Stage.WHOLE, LayerGroup.CLASSIFIER, 0.01)
        .rate(Stage.WHOLE, LayerGroup.BACKBONE, 1e-4)
        .build();
  }

  /**
   * A builder that starts with the settings of this plan.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    return new Builder(copy());
  }

  /**
   * The most epochs of a stage.
   *
   * @param stage the stage
   * @return epochs, 0 if the stage is left out
   */
  public int epochs(Stage stage) {
    return epochs.get(Objects.requireNonNull(stage, "stage"));
  }

  /**
   * The rate at the start of a stage.
   *
   * @param stage the stage
   * @param group the group of layers
   * @return the rate
   */
  public double rate(Stage stage, LayerGroup group) {
    return rates
        .get(Objects.requireNonNull(stage, "stage"))
        .get(Objects.requireNonNull(group, "group"));
  }

  /**
   * The seed of all random numbers: orders of images, their variants, dropout.
   *
   * @return the seed
   */
  public long seed() {
    return seed;
  }

  /**
   * Which weights the network has after training.
   *
   * @return best or last
   */
  public KeptWeights keep() {
    return keep;
  }

  /**
   * How rates change over the epochs of a stage.
   *
   * @return the schedule, before any epoch
   */
  public Schedule schedule() {
    return schedule;
  }

  /**
   * Whether the rate of the classifier is held down to what its inputs bear.
   *
   * @return true if the plan's rate is the most
   */
  public boolean limitsClassifierRate() {
    return limitClassifierRate;
  }

  /**
   * When epochs are undone.
   *
   * @return the rule
   */
  public Guard guard() {
    return guard;
  }

  /**
   * Whether the network's own updaters and regularisation are used.
   *
   * @return true if the plan gives only the rates
   */
  public boolean keepsUpdaters() {
    return keepUpdaters;
  }

  /**
   * Images per step.
   *
   * @return the setting
   */
  public int batchSize() {
    return batchSize;
  }

  /**
   * The momentum of all layers.
   *
   * @return the setting
   */
  public double momentum() {
    return momentum;
  }

  /**
   * The L2 penalty on all weights but biases and those on the Stiefel manifold.
   *
   * @return the setting
   */
  public double weightDecay() {
    return weightDecay;
  }

  /**
   * How the classifier gets its weights.
   *
   * @return learnt, fitted, or both
   */
  public ClassifierTraining classifier() {
    return classifier;
  }

  /**
   * How steps follow from gradients.
   *
   * @return momentum or Adam
   */
  public Optimizer optimizer() {
    return optimizer;
  }

  /**
   * How exactly convolutions compute.
   *
   * @return FLOAT unless set
   */
  public Precision precision() {
    return precision;
  }

  /**
   * All settings by name, to tell two plans apart.
   *
   * @return names and values, in a fixed order
   */
  public Map<String, Object> settings() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("epochs", epochs);
    all.put("rates", rates);
    all.put("seed", seed);
    all.put("keep", keep);
    all.put("schedule", schedule);
    all.put("limitClassifierRate", limitClassifierRate);
    all.put("guard", guard);
    all.put("keepUpdaters", keepUpdaters);
    all.put("batchSize", batchSize);
    all.put("momentum", momentum);
    all.put("weightDecay", weightDecay);
    all.put("classifier", classifier);
    all.put("optimizer", optimizer);
    if (precision != Precision.FLOAT) { // checkpoints of earlier versions have none
      all.put("precision", precision);
    }
    return all;
  }

  /** All settings by name. */
  @Override
  public String toString() {
    return "TrainingPlan" + settings();
  }

  /** Builds a {@link TrainingPlan}. */
  public static final class Builder {
    private final TrainingPlan plan;

    private Builder(TrainingPlan plan) {
      this.plan = plan;
    }

    /**
     * The most epochs of a stage; 0 leaves it out, but for a classifier that is fitted: stage one
     * fits it all the same. 30 unless set, but stage two has none in {@link #recommended()}.
     *
     * @param stage the stage
     * @param most at least 0
     * @return this builder
     */
    public Builder epochs(Stage stage, int most) {
      require(most >= 0, "epochs", "at least 0", most);
      plan.epochs.put(stage, most);
      return this;
    }

    /**
     * One rate for all layers.
     *
     * @param stage the stage
     * @param rate at least 0
     * @return this builder
     */
    public Builder rates(Stage stage, double rate) {
      for (LayerGroup group : LayerGroup.values()) {
        rate(stage, group, rate);
      }
      return this;
    }

    /**
     * The rate of one group of layers at the start of a stage. The backbone has none while it is
     * frozen.
     *
     * @param stage the stage
     * @param group the group
     * @param rate at least 0
     * @return this builder
     */
    public Builder rate(Stage stage, LayerGroup group, double rate) {
      require(rate >= 0 && Double.isFinite(rate), "rate", "finite, at least 0", rate);
      plan.rates.computeIfAbsent(stage, s -> new EnumMap<>(LayerGroup.class)).put(group, rate);
      return this;
    }

    /**
     * The seed of all random numbers; 1 unless set.
     *
     * @param seed any number
     * @return this builder
     */
    public Builder seed(long seed) {
      plan.seed = seed;
      return this;
    }

    /**
     * Which weights the network has after training; the best unless set.
     *
     * @param keep best or last
     * @return this builder
     */
    public Builder keep(KeptWeights keep) {
      plan.keep = Objects.requireNonNull(keep, "keep");
      return this;
    }

    /**
     * How rates change over the epochs of a stage; those of {@link #paper()} and {@link #fitted()}
     * are cut to a tenth after 3 epochs without progress in validation, twice.
     *
     * @param schedule before any epoch
     * @return this builder
     */
    public Builder schedule(Schedule schedule) {
      plan.schedule = Objects.requireNonNull(schedule, "schedule");
      return this;
    }

    /**
     * Holds the rate of a softmax classifier down to what the vectors that it sees bear, for {@link
     * Optimizer#ADAM}. A step of Adam moves each weight by about the rate, and so each class's
     * score of an image by up to the rate times ‖v‖₁. What all vectors have in common makes up most
     * of that, and tells no image from another. The limit is
     *
     * <pre>
     * 2 · mean ‖v − v̄‖₁ / (mean ‖v‖₁)²
     * </pre>
     *
     * from the vectors v of some training images before the first epoch of a stage, and their mean
     * v̄: about 0.0001 for the paper's head with C' = 512, 0.0006 for a matrix square root with C'
     * = 256.
     *
     * <p>At least 1e-5, at the start of each stage; not where the updaters are {@linkplain
     * #keepUpdaters kept}, and not before stage one of a head with a batch normalisation, which
     * knows no mean then.
     *
     * @param limit whether to; {@link #recommended()} does
     * @return this builder
     */
    public Builder limitClassifierRate(boolean limit) {
      plan.limitClassifierRate = limit;
      return this;
    }

    /**
     * When epochs are undone; {@link Guard#standard()} unless set.
     *
     * @param guard the rule
     * @return this builder
     */
    public Builder guard(Guard guard) {
      plan.guard = Objects.requireNonNull(guard, "guard");
      return this;
    }

    /**
     * Keeps the network's own updaters and regularisation. Only the rates are set, in place of any
     * schedule; {@code optimizer}, {@code momentum} and {@code weightDecay} are ignored.
     *
     * @param keepUpdaters false unless set
     * @return this builder
     */
    public Builder keepUpdaters(boolean keepUpdaters) {
      plan.keepUpdaters = keepUpdaters;
      return this;
    }

    /**
     * Images per step. 32 unless set.
     *
     * @param batchSize at least 1
     * @return this builder
     */
    public Builder batchSize(int batchSize) {
      require(batchSize >= 1, "batchSize", "at least 1", batchSize);
      plan.batchSize = batchSize;
      return this;
    }

    /**
     * The momentum of all layers. 0.9 unless set.
     *
     * @param momentum at least 0 and less than 1
     * @return this builder
     */
    public Builder momentum(double momentum) {
      require(momentum >= 0 && momentum < 1, "momentum", "at least 0 and less than 1", momentum);
      plan.momentum = momentum;
      return this;
    }

    /**
     * The L2 penalty on all weights but biases and those on the Stiefel manifold. 5e-4 unless set.
     *
     * @param weightDecay at least 0
     * @return this builder
     */
    public Builder weightDecay(double weightDecay) {
      require(
          weightDecay >= 0 && Double.isFinite(weightDecay),
          "weightDecay",
          "a finite number from 0",
          weightDecay);
      plan.weightDecay = weightDecay;
      return this;
    }

    /**
     * How the classifier gets its weights; it is learnt unless set.
     *
     * @param classifier learnt, fitted, or both
     * @return this builder
     */
    public Builder classifier(ClassifierTraining classifier) {
      plan.classifier = Objects.requireNonNull(classifier, "classifier");
      return this;
    }

    /**
     * How steps follow from gradients; by momentum unless set.
     *
     * @param optimizer momentum or Adam
     * @return this builder
     */
    public Builder optimizer(Optimizer optimizer) {
      plan.optimizer = Objects.requireNonNull(optimizer, "optimizer");
      return this;
    }

    /**
     * How exactly convolutions compute, where the card can. FLOAT, unless set, leaves the network
     * as it is.
     *
     * @param precision the precision
     * @return this builder
     */
    public Builder precision(Precision precision) {
      plan.precision = Objects.requireNonNull(precision, "precision");
      return this;
    }

    /**
     * Builds the plan.
     *
     * @return the plan
     */
    public TrainingPlan build() {
      return plan.copy();
    }
  }
}
