/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.Fingerprint;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.models.FileLayer;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.LoggingProgress;
import io.github.spd4j.train.progress.TrainingProgress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Trains a network in two stages: first what comes after the cut, on features of the frozen
 * backbone that are computed once; then everything.
 *
 * <p>Unless the plan says otherwise, the classifier is fitted in closed form at the end of a stage;
 * see {@link ClassifierTraining}.
 *
 * <p>With a folder, each epoch ends with a checkpoint. Calling {@link #train()} again with the same
 * settings, possibly in another process, goes on from there, and ends with the same weights as if
 * it had never been interrupted. All random numbers come from the plan's seed: ND4J's generator is
 * seeded anew for each epoch.
 *
 * <p>The network is changed: its weights, the updaters and regularisation of its layers (unless the
 * plan keeps them), its counts of iterations and epochs. Layers that are frozen in its
 * configuration stay frozen in both stages.
 */
public final class TwoStageTrainer {

  /** The name of the checkpoint in the folder. */
  public static final String CHECKPOINT = "checkpoint.zip";

  /** The name of the trained network in the folder, a model file of DL4J. */
  public static final String MODEL = "model.zip";

  private final BackboneAndHead parts;
  private final ComputationGraph net;
  private final TrainingPlan plan;
  private final LabelledImages training;
  private final LabelledImages validation;
  private final TrainingFolder folder;
  private final FeatureCache cache;
  private final TrainingProgress progress;
  private final TrainingEngine engine;
  private final Map<String, String> dependencies;
  private final Circumstances known;
  private final Phases phases;

  private TwoStageTrainer(Builder b) {
    this.net = b.net;
    this.parts = b.parts;
    this.plan = b.plan;
    this.training = b.training;
    this.validation = b.validation;
    this.folder = new TrainingFolder(b.folder, b.net, b.card);
    this.cache = b.cache != null ? b.cache : defaultCache(b.folder);
    this.progress = b.progress;
    this.engine = b.engine;
    this.dependencies = Map.copyOf(b.dependencies);
    if (plan.precision() != Precision.FLOAT) {
      Acceleration.applyTo(net, plan.precision());
    }
    this.known =
        Circumstances.of(
            plan, net, parts.headVertices(), batches(training, net), validation != null);
    this.phases = new Phases(plan, known);
    requireSomethingToDo();
    requireBackwardPass();
  }

  private void requireSomethingToDo() {
    known
        .reasonAgainstFit()
        .filter(reason -> plan.epochs(Stage.HEAD) + plan.epochs(Stage.WHOLE) == 0)
        .ifPresent(
            reason -> {
              throw new IllegalArgumentException(
                  "expected at least one epoch, got none in either stage, and the classifier is not"
                      + " fitted: "
                      + reason);
            });
  }

  private void requireBackwardPass() {
    if (plan.epochs(Stage.WHOLE) > 0 && !FileLayer.in(net).isEmpty()) {
      throw new IllegalArgumentException(
          "expected no epochs of stage two, got "
              + plan.epochs(Stage.WHOLE)
              + ": the backbone computes with a file, and has no backward pass");
    }
  }

  private static FeatureCache defaultCache(Path folder) {
    return folder == null
        ? FeatureCache.inMemory()
        : FeatureCache.inFolder(folder.resolve("features"));
  }

  /**
   * A builder.
   *
   * @param net a network with one input, and one output that gives probabilities of classes; with a
   *     vertex {@code Backbone.MAPS} where its backbone ends, as those of {@code SpdGraft} have
   * @return a new builder
   */
  public static Builder builder(ComputationGraph net) {
    return new Builder(net);
  }

  /**
   * Trains the network, or goes on with it. A training that is over is not repeated: its weights
   * are loaded.
   *
   * @return the outcome
   */
  public TrainingResult train() {
    Checkpoint checkpoint = folder.checkpoint();
    Map<String, String> settings = settings();
    TrainingState state =
        checkpoint == null ? new TrainingState(settings, plan) : resume(checkpoint, settings);
    INDArray updaterState = checkpoint == null ? null : checkpoint.updaterState;
    TrainingContext context = new TrainingContext(plan, known, engine, progress, state);
    if (state.stage() != null) {
      tellPhases();
    }
    if (state.stage() == Stage.HEAD) {
      stageOne(context, updaterState);
      updaterState = null;
    }
    if (state.stage() == Stage.WHOLE) {
      stageTwo(context, updaterState);
    } else {
      if (plan.epochs(Stage.WHOLE) > 0) {
        StageRun.equip(context, net, parts.headVertices());
      }
      folder.saveModel(); // it may be gone or damaged since
    }
    return state.result(checkpoint != null);
  }

  private void tellPhases() {
    progress.planned(phases.lines());
    if (plan.classifier() != ClassifierTraining.LEARNT) {
      known
          .reasonAgainstFit()
          .ifPresent(
              reason -> progress.message("The classifier learns by gradient descent: " + reason));
    }
  }

  /** All that the trained weights depend on; the weights at the start only if the user says so. */
  private Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    plan.settings().forEach((name, value) -> settings.put(name, value.toString()));
    settings.put("network", Fingerprint.ofLayout(net));
    settings.put("training images", Fingerprint.ofImages(training));
    settings.put(
        "validation images", validation == null ? "none" : Fingerprint.ofImages(validation));
    settings.putAll(dependencies);
    return settings;
  }

  private TrainingState resume(Checkpoint checkpoint, Map<String, String> settings) {
    TrainingState state = checkpoint.state;
    state.requireSettings(settings, folder.place(CHECKPOINT));
    net.params().assign(checkpoint.parameters.reshape(net.params().shape()));
    progress.message(
        state.stage() == null
            ? "The training in " + folder + " is over; its weights are loaded"
            : "Training goes on after epoch %d of stage %d"
                .formatted(state.epoch(), state.stage().ordinal() + 1));
    return state;
  }

  private void stageOne(TrainingContext context, INDArray updaterState) {
    if (phases.of(Stage.HEAD).isEmpty()) {
      context.state().beginStageTwo(null, null, plan);
    } else {
      learnHead(context, updaterState);
    }
    folder.save(context.state(), null);
  }

  /** Runs stage one. Afterwards the network has the weights that stage two begins with. */
  private void learnHead(TrainingContext context, INDArray updaterState) {
    ComputationGraph head = parts.detachedHead();
    try (Features learnt = features(training);
        Features asked = validation == null ? null : features(validation)) {
      ImageBatches validated =
          asked == null ? batches(null, head) : featureBatches(asked, validation, head);
      StageRun run =
          new StageRun(
              context,
              head,
              parts.headVertices(),
              featureBatches(learnt, training, head),
              validated,
              updaters -> {
                parts.takeBack(head);
                folder.save(context.state(), updaters);
              });
      run.run(phases.of(Stage.HEAD), updaterState);
      INDArray next = head.params().dup();
      INDArray kept = withHead(head, run.kept());
      context.state().beginStageTwo(kept, withHead(head, next), plan);
    }
  }

  /** Gives the network a head with these parameters, and returns all that it has then. */
  private INDArray withHead(ComputationGraph head, INDArray parameters) {
    head.params().assign(parameters);
    parts.takeBack(head);
    return net.params().dup();
  }

  private Features features(LabelledImages images) {
    return cache.features(parts.net(), images, plan.batchSize(), progress);
  }

  private ImageBatches featureBatches(
      Features features, LabelledImages images, ComputationGraph head) {
    return ImageBatches.ofFeatures(features::batch, images, head, plan.batchSize());
  }

  private ImageBatches batches(LabelledImages images, ComputationGraph learner) {
    return ImageBatches.ofImages(images, learner, plan.batchSize());
  }

  private void stageTwo(TrainingContext context, INDArray updaterState) {
    if (plan.epochs(Stage.WHOLE) > 0) {
      ImageBatches variants = ImageBatches.ofVariants(training, net, plan.batchSize());
      ImageBatches validated = batches(validation, net);
      new StageRun(
              context,
              net,
              parts.headVertices(),
              variants,
              validated,
              updaters -> folder.save(context.state(), updaters))
          .run(phases.of(Stage.WHOLE), updaterState);
    }
    context.state().end();
    folder.saveModel();
    folder.save(context.state(), null);
  }

  /** Builds a {@link TwoStageTrainer}. */
  public static final class Builder {
    private final ComputationGraph net;
    private final BackboneAndHead parts;
    private TrainingPlan plan = TrainingPlan.recommended();
    private LabelledImages training;
    private LabelledImages validation;
    private boolean validated = true;
    private Path folder;
    private ModelCard card;
    private FeatureCache cache;
    private TrainingProgress progress = new LoggingProgress();
    private TrainingEngine engine = new LocalEngine();
    private final Map<String, String> dependencies = new LinkedHashMap<>();

    private Builder(ComputationGraph net) {
      this.net = Objects.requireNonNull(net, "net");
      this.parts = new BackboneAndHead(net);
    }

    /**
     * The plan; {@link TrainingPlan#recommended()} unless set.
     *
     * @param plan the plan
     * @return this builder
     */
    public Builder plan(TrainingPlan plan) {
      this.plan = Objects.requireNonNull(plan, "plan");
      return this;
    }

    /**
     * The images to learn from; they must be set.
     *
     * @param images at least one
     * @return this builder
     */
    public Builder training(LabelledImages images) {
      this.training = checked(images, "training");
      return this;
    }

    private static void requireImages(boolean there, String what) {
      Validate.isTrue(there, "expected at least one %s image, got none", what);
    }

    private LabelledImages checked(LabelledImages images, String what) {
      requireImages(images != null && images.size() > 0, what);
      for (int i = 0; i < images.size(); i++) {
        int label = images.label(i);
        if (label < 0 || label >= images.classes()) {
          throw new IllegalArgumentException(
              String.format(
                  "expected labels from 0 to %d, got %d for the %s image '%s'",
                  images.classes() - 1, label, what, images.name(i)));
        }
      }
      String output = net.getConfiguration().getNetworkOutputs().get(0);
      Layer layer = net.getLayer(output);
      if (layer != null && layer.conf().getLayer() instanceof FeedForwardLayer) {
        long outputs = ((FeedForwardLayer) layer.conf().getLayer()).getNOut();
        Validate.isTrue(
            outputs == images.classes(),
            "expected images of as many classes as the output layer '%s' has, %s, got %s",
            output,
            outputs,
            images.classes());
      }
      return images;
    }

    /**
     * The images that decide about rates, rollbacks and the best epoch; they must be set, unless
     * there is to be {@linkplain #withoutValidation no validation}. They are not for the final
     * test.
     *
     * @param images at least one
     * @return this builder
     */
    public Builder validation(LabelledImages images) {
      this.validation = checked(images, "validation");
      return this;
    }

    /**
     * Trains without validation, in place of {@link #validation}, on all images there are, once the
     * settings are found: the plan's schedule and the guard see only what happens to the training
     * images, and the last weights are kept. Of more than 2,000 pictures a tenth is held out until
     * the rates of the last stage fall, if the classifier is {@linkplain
     * ClassifierTraining#LEARNT_THEN_FITTED learnt, then fitted}.
     *
     * @return this builder, which then refuses images for {@link #validation}
     */
    public Builder withoutValidation() {
      this.validated = false;
      return this;
    }

    /**
     * Where checkpoint, trained network and features are kept; nothing is kept unless set.
     *
     * @param folder created if it does not exist
     * @return this builder
     */
    public Builder folder(Path folder) {
      this.folder = folder;
      return this;
    }

    /**
     * Something else that the trained weights depend on, such as the weights at the start. A
     * checkpoint with another value is refused.
     *
     * @param name what it is
     * @param value what tells it from others
     * @return this builder
     */
    public Builder dependsOn(String name, String value) {
      dependencies.put(
          Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * What the trained network's file says about it, so that an {@code ImageClassifier} can use it;
     * nothing unless set.
     *
     * @param card classes, and how an image becomes the network's input
     * @return this builder
     */
    public Builder card(ModelCard card) {
      this.card = card;
      return this;
    }

    /**
     * Where features are kept; below the folder, or without one in memory, unless set.
     *
     * @param cache the cache
     * @return this builder
     */
    public Builder featureCache(FeatureCache cache) {
      this.cache = cache;
      return this;
    }

    /**
     * The listener for progress; a {@link LoggingProgress} unless set.
     *
     * @param progress the listener
     * @return this builder
     */
    public Builder progress(TrainingProgress progress) {
      this.progress = Objects.requireNonNull(progress, "progress");
      return this;
    }

    /**
     * The engine that makes the steps of an epoch; this machine unless set. The {@linkplain
     * FeatureCache#computedBy cache} has an engine of its own for features.
     *
     * @param engine the engine
     * @return this builder
     */
    public Builder engine(TrainingEngine engine) {
      this.engine = Objects.requireNonNull(engine, "engine");
      return this;
    }

    /**
     * Builds the trainer.
     *
     * @return the trainer
     */
    public TwoStageTrainer build() {
      requireImages(training != null, "training");
      requireImages(validation != null || !validated, "validation");
      Validate.isTrue(
          validation == null || validated,
          "expected validation(images) or withoutValidation(), got both");
      return new TwoStageTrainer(this);
    }
  }
}
