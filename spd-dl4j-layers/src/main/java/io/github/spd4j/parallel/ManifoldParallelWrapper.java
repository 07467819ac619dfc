/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.parallel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.api.NeuralNetwork;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.deeplearning4j.parallelism.ParallelWrapper;
import org.deeplearning4j.parallelism.factory.DefaultTrainerContext;
import org.deeplearning4j.parallelism.trainer.Trainer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.dataset.api.iterator.MultiDataSetIterator;

/**
 * DL4J's ParallelWrapper, several workers on the CPU or on the GPUs of one machine, with every W on
 * the Stiefel manifold after each averaging: before the workers go on from the mean, and in the
 * network when {@code fit} returns.
 *
 * <pre>
 * var wrapper = new ParallelWrapper.Builder&lt;&gt;(net).workers(4).averagingFrequency(3).build();
 * var training = ManifoldParallelWrapper.of(wrapper);
 * training.fit(iterator);
 * </pre>
 *
 * The training mode has to be AVERAGING, the default of ParallelWrapper. SHARED_GRADIENTS is
 * refused: there every worker subtracts quantised sums of all workers' updates. The update of a W
 * leads to the manifold from that W alone and as a whole; parts of it, and sums, lead elsewhere.
 */
public final class ManifoldParallelWrapper {

  private static final long POLL_MILLIS = 1;

  private final ParallelWrapper wrapper;
  private final TrainingListener mark = new Mark();
  private int rounds;

  private ManifoldParallelWrapper(ParallelWrapper wrapper) {
    this.wrapper = wrapper;
  }

  /**
   * Uses a wrapper for training, and replaces its suppliers of parameters.
   *
   * @param wrapper a wrapper with the training mode AVERAGING that also averages updaters, which is
   *     the default; it must not be used otherwise
   * @return the same with W on the manifold
   * @throws IllegalArgumentException for another training mode
   */
  public static ManifoldParallelWrapper of(ParallelWrapper wrapper) {
    Objects.requireNonNull(wrapper, "wrapper");
    if (wrapper.getGradientsAccumulator() != null
        || !(wrapper.getTrainerContext() instanceof DefaultTrainerContext)) {
      throw new IllegalArgumentException(
          "a network with W on the Stiefel manifold needs the training mode AVERAGING, got one that"
              + " shares gradients: quantised updates take W off the manifold");
    }
    ManifoldParallelWrapper manifold = new ManifoldParallelWrapper(wrapper);
    wrapper.setModelParamsSupplier(manifold::parameters);
    wrapper.setUpdaterParamsSupplier(manifold::updaterState);
    return manifold;
  }

  /**
   * Trains for one pass over the data.
   *
   * @param data batches, one for each worker in turn
   */
  public void fit(DataSetIterator data) {
    train(() -> wrapper.fit(data));
  }

  /**
   * Trains for one pass over the data.
   *
   * @param data batches, one for each worker in turn
   */
  public void fit(MultiDataSetIterator data) {
    train(() -> wrapper.fit(data));
  }

  private void train(Runnable fit) {
    rounds = 0;
    wrapper.getListeners().add(mark);
    fit.run();
    wrapper.getListeners().remove(mark);
    List<TrainingListener> listeners = new ArrayList<>(listeners(wrapper.getModel()));
    listeners.remove(mark);
    wrapper.getModel().setListeners(listeners);
    StiefelAveraging.restore(wrapper.getModel());
  }

  /** Asked before each round: the parameters for all workers if they were just averaged. */
  private INDArray parameters() {
    if (rounds == 0) {
      awaitWorkers();
    }
    boolean averaged = rounds++ > 0 && isAveraged();
    if (averaged) {
      StiefelAveraging.restore(wrapper.getModel());
    }
    return averaged ? wrapper.getModel().params() : null;
  }

  /**
   * Waits until every worker has its copy of the network. ParallelWrapper does not: its first
   * worker is the network itself, and would change it while the others still copy.
   */
  private void awaitWorkers() {
    Trainer[] workers = wrapper.getZoo();
    for (int i = 0; i < workers.length; i++) {
      while (!isReady(workers[i].getModel(), i == 0)) {
        try {
          Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted while the workers start", e);
        }
      }
    }
  }

  private boolean isReady(Model net, boolean isFirst) {
    return net != null && (net == wrapper.getModel()) == isFirst && listeners(net).contains(mark);
  }

  /** Asked right after the parameters: what the updaters remember. */
  private INDArray updaterState() {
    return rounds > 1 && isAveraged() ? ((NeuralNetwork) wrapper.getModel()).updaterState() : null;
  }

  private boolean isAveraged() {
    return wrapper.getIterationsCounter().get() % wrapper.getAveragingFrequency() == 0;
  }

  private static Collection<TrainingListener> listeners(Model net) {
    return net instanceof ComputationGraph
        ? ((ComputationGraph) net).getListeners()
        : ((MultiLayerNetwork) net).getListeners();
  }

  /** A worker sets its listeners as the last thing before it takes batches. */
  private static final class Mark extends BaseTrainingListener {}
}
