/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static org.deeplearning4j.optimize.solvers.BaseOptimizer.getIterationCount;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.deeplearning4j.core.storage.StatsStorageRouter;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.api.NeuralNetwork;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the SPD layers of a network while it is trained: is W on the Stiefel manifold, which
 * channels are dead, how large is σ, how well conditioned are the matrices, how many eigenvalues
 * are below a layer's floor, how long the gradients.
 *
 * <p>A {@link HealthReport} is made at iterations 0, k, 2k, … ({@link Builder#every}) and at the
 * last iteration of each epoch. DL4J does not say beforehand which one that is; it is taken to be
 * where the epoch before ended. Where that fails, as in the first epoch, the report at the epoch's
 * end has the figures of W alone, which need no batch.
 *
 * <p>Eigenvalues cost C³ operations a matrix. They, σ and dead channels are measured on the first
 * few examples of the batch ({@link Builder#sample}). In between nothing is computed or copied.
 *
 * <p>Each report is logged at INFO, kept in a bounded {@link #history}, and handed to a consumer
 * and a storage if there are any. What is wrong is logged as a warning once for each layer and
 * kind. The listener never changes the network. One listener belongs to one network, a
 * ComputationGraph or a MultiLayerNetwork.
 *
 * <pre>{@code
 * StatsStorage storage = new InMemoryStatsStorage();
 * UIServer.getInstance().attach(storage);
 * network.setListeners(
 *     new StatsListener(storage), new SpdHealthListener.Builder().storage(storage).build());
 * }</pre>
 *
 * <p>With {@code deeplearning4j-ui} on the class path, the figures are then shown at {@code /spd}
 * of the user interface.
 */
public final class SpdHealthListener extends BaseTrainingListener {

  private static final Logger LOG = LoggerFactory.getLogger(SpdHealthListener.class);

  private static final int UNKNOWN = -1;

  private final int every;
  private final int sample;
  private final int historySize;
  private final Consumer<HealthReport> consumer;
  private final HealthPublisher publisher;

  private final Deque<HealthReport> history = new ArrayDeque<>();
  private final Set<String> warned = new HashSet<>();

  private HealthReportBuilder current;
  private int lastReported = UNKNOWN;
  private int epochStart = UNKNOWN;
  private int epochLength = UNKNOWN;

  private SpdHealthListener(Builder builder) {
    this.every = builder.every;
    this.sample = builder.sample;
    this.historySize = builder.history;
    this.consumer = builder.consumer;
    this.publisher = builder.storage == null ? null : new HealthPublisher(builder.storage);
  }

  /**
   * The latest reports, oldest first.
   *
   * @return a copy; may be called from any thread
   */
  public List<HealthReport> history() {
    synchronized (history) {
      return new ArrayList<>(history);
    }
  }

  @Override
  public void onEpochStart(Model model) {
    if (isNetwork(model)) {
      epochStart = getIterationCount(model);
    }
  }

  @Override
  public void onForwardPass(Model model, Map<String, INDArray> activations) {
    if (isNetwork(model) && isDue(getIterationCount(model))) {
      current = new HealthReportBuilder(model, getIterationCount(model), sample);
      current.forward(activations);
      // What is wrong here may end the iteration: a layer refuses a gradient that is not finite.
      diagnose(model, current);
    }
  }

  @Override
  public void onForwardPass(Model model, List<INDArray> activations) {
    Map<String, INDArray> byPosition = new HashMap<>();
    for (int i = 1; i < activations.size(); i++) { // the first one is the network's input
      byPosition.put(String.valueOf(i - 1), activations.get(i));
    }
    onForwardPass(model, byPosition);
  }

  @Override
  public void onGradientCalculation(Model model) {
    if (isNetwork(model) && current != null && current.isOf(getIterationCount(model))) {
      current.backward(model);
    }
  }

  @Override
  public void iterationDone(Model model, int iteration, int epoch) {
    if (isNetwork(model) && current != null && current.isOf(iteration)) {
      publish(model, current);
      lastReported = iteration;
    }
    current = null;
  }

  @Override
  public void onEpochEnd(Model model) {
    if (!isNetwork(model) || epochStart == UNKNOWN) {
      return;
    }
    int next = getIterationCount(model);
    epochLength = next - epochStart;
    if (epochLength > 0 && lastReported != next - 1) {
      publish(model, new HealthReportBuilder(model, next - 1, sample));
      lastReported = next - 1;
    }
  }

  private boolean isDue(int iteration) {
    boolean lastOfEpoch = epochLength != UNKNOWN && iteration == epochStart + epochLength - 1;
    return iteration % every == 0 || lastOfEpoch;
  }

  private void publish(Model model, HealthReportBuilder measured) {
    measured.parameters();
    HealthReport report = diagnose(model, measured);
    synchronized (history) {
      history.addLast(report);
      if (history.size() > historySize) {
        history.removeFirst();
      }
    }
    report.toString().lines().forEach(LOG::info);
    if (publisher != null) {
      publisher.publish(report);
    }
    consumer.accept(report);
  }

  private HealthReport diagnose(Model model, HealthReportBuilder measured) {
    Map<String, String> wrong = new LinkedHashMap<>();
    HealthReport report = measured.report(model.params().dataType(), wrong);
    wrong.forEach(
        (key, text) -> {
          if (warned.add(key)) {
            LOG.warn("iteration {}: {}", report.iteration(), text);
          }
        });
    return report;
  }

  /** DL4J also calls listeners for single layers. */
  private static boolean isNetwork(Model model) {
    return model instanceof NeuralNetwork;
  }

  /** Builds a {@link SpdHealthListener}. */
  public static final class Builder {
    private int every = 50;
    private int sample = 4;
    private int history = 1000;
    private Consumer<HealthReport> consumer = report -> {};
    private StatsStorageRouter storage;

    /** A builder with defaults. */
    public Builder() {}

    /**
     * How often to measure.
     *
     * @param iterations k, at least 1; 50 unless set
     * @return this builder
     */
    public Builder every(int iterations) {
      this.every = positive(iterations, "iterations");
      return this;
    }

    /**
     * On how many examples of a batch to measure, at most.
     *
     * @param examples at least 1; 4 unless set
     * @return this builder
     */
    public Builder sample(int examples) {
      this.sample = positive(examples, "examples");
      return this;
    }

    /**
     * How many reports to keep; older ones are dropped.
     *
     * @param reports at least 1; 1000 unless set
     * @return this builder
     */
    public Builder history(int reports) {
      this.history = positive(reports, "reports");
      return this;
    }

    /**
     * Who else gets each report, on the training thread.
     *
     * @param consumer the consumer
     * @return this builder
     */
    public Builder consumer(Consumer<HealthReport> consumer) {
      this.consumer = Objects.requireNonNull(consumer, "consumer");
      return this;
    }

    /**
     * Where to put each report for DL4J's user interface.
     *
     * @param storage a storage that is attached to the user interface, or a router to one
     * @return this builder
     */
    public Builder storage(StatsStorageRouter storage) {
      this.storage = Objects.requireNonNull(storage, "storage");
      return this;
    }

    private static int positive(int value, String what) {
      if (value < 1) {
        throw new IllegalArgumentException(
            "SpdHealthListener: expected a number of " + what + " of at least 1, got " + value);
      }
      return value;
    }

    /**
     * The listener.
     *
     * @return a new listener
     */
    public SpdHealthListener build() {
      return new SpdHealthListener(this);
    }
  }
}
