/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.internal.inference.Compiled;
import io.github.spd4j.internal.inference.Inference;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.models.Engine;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.ndarray.INDArray;

/** One batch after the other, on this machine. While one is computed with, the next is read. */
public final class LocalEngine implements TrainingEngine {

  private final Compiled compiled;

  /** By DL4J. */
  public LocalEngine() {
    this(null);
  }

  private LocalEngine(Compiled compiled) {
    this.compiled = compiled;
  }

  /**
   * One by which another engine than DL4J computes features.
   *
   * @param engine what is asked for
   * @param backbone a network that ends at the cut
   * @param images the first is what both are compared with
   * @return nothing if DL4J is to compute them
   */
  public static Optional<LocalEngine> compiled(
      Engine engine, ComputationGraph backbone, LabelledImages images) {
    return new Inference(engine, "features")
        .compiled(
            backbone,
            backbone.getConfiguration().getNetworkOutputs(),
            features -> features,
            batch -> List.of(backbone.output(false, batch)[0]),
            () -> images.image(0).castTo(backbone.getConfiguration().getDataType()))
        .map(LocalEngine::new);
  }

  @Override
  public Stream<INDArray> features(
      ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize) {
    ImageBatches inputs = ImageBatches.ofImages(images, backbone, batchSize);
    ReadAhead<INDArray> ahead =
        inputs.ahead(inputs.split(IntStream.range(first, images.size()).toArray()));
    Iterable<INDArray> batches = () -> ahead;
    return StreamSupport.stream(batches.spliterator(), false)
        .map(
            batch ->
                compiled == null ? backbone.output(false, batch)[0] : compiled.run(batch).get(0))
        .onClose(ahead::close)
        .onClose(compiled == null ? () -> {} : compiled::close);
  }

  @Override
  public void train(ComputationGraph net, TrainingPass images) {
    ImagePass pass = (ImagePass) images; // the trainer makes no others
    List<TrainingListener> listeners = List.copyOf(net.getListeners());
    try (ReadAhead<LabelledBatch> ahead = pass.ahead()) {
      while (ahead.hasNext()) {
        LabelledBatch batch = ahead.next();
        net.setListeners(listeners);
        net.addListeners(new OutputListener(output -> pass.add(output, batch)));
        net.fit(new INDArray[] {batch.inputs()}, new INDArray[] {pass.labels(batch)});
        if (!Double.isFinite(net.score())) {
          throw new NotFiniteException("the loss of a batch is " + net.score());
        }
        pass.reportProgress();
      }
    } finally {
      net.setListeners(listeners);
    }
  }
}
