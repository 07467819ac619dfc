/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.dl4j.Subgraph;
import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.models.SafeModels;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.statistics.RidgeClassifier;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Likely wrong labels: what a classifier says of each picture that was fitted to four fifths of the
 * others. It sees them through the network's backbone and a head that has learnt no label: one that
 * has learnt wrong ones would repeat them.
 */
public final class LabelCheck {

  private static final int FOLDS = 5;
  private static final int BATCH = 16;

  private final Predictions predictions;

  private LabelCheck(Predictions predictions) {
    this.predictions = predictions;
  }

  /**
   * Asks for all pictures.
   *
   * @param model the model file of a run
   * @param set the pictures, all of them sound
   * @param progress is told how many are done
   * @return the answers
   * @throws IOException if the model cannot be read
   * @throws UserException if its classes are others, or there are too many pictures
   */
  public static LabelCheck of(Path model, ImageDataSet set, TrainingProgress progress)
      throws IOException {
    ModelCard card = ModelCard.read(model);
    if (!card.classes().equals(set.classes())) {
      throw new UserException(
          "%s knows the classes %s, expected those of the folder, %s"
              .formatted(model, card.classes(), set.classes()));
    }
    FileImages images =
        new FileImages(
            set.images(), set.classes().size(), Views.PLAIN, card.size(), card.pixels(), 1);
    INDArray vectors = vectors(untrained(SafeModels.loadGraph(model)), images, progress);
    int[] labels = IntStream.range(0, images.size()).map(images::label).toArray();
    Predictions raw =
        new Predictions(set.images(), set.classes(), answers(vectors, labels, images.classes()));
    return new LabelCheck(raw.calibrated(raw.temperature()));
  }

  /** The network with the head as it was at the start, but for what is fitted without labels. */
  private static ComputationGraph untrained(ComputationGraph net) {
    if (!net.getConfiguration().getVertices().containsKey(Backbone.MAPS)) {
      throw new UserException(
          "--labels needs a model that says where its backbone ends, as ./spd train writes it");
    }
    BackboneAndHead parts = new BackboneAndHead(net);
    ComputationGraph trained = parts.detachedHead();
    ComputationGraph fresh = new ComputationGraph(trained.getConfiguration().clone());
    fresh.init();
    for (Layer layer : trained.getLayers()) {
      if (layer.conf().getLayer() instanceof SpdLayer spd) {
        layer
            .paramTable()
            .forEach(
                (name, value) -> {
                  if (!spd.isLearnt(name)) {
                    fresh.getLayer(spd.getLayerName()).getParam(name).assign(value);
                  }
                });
      }
    }
    parts.takeBack(fresh);
    return net;
  }

  /** What the classifier sees of each picture. */
  private static INDArray vectors(
      ComputationGraph net, FileImages images, TrainingProgress progress) {
    String output = net.getConfiguration().getNetworkOutputs().get(0);
    String input = net.getConfiguration().getVertexInputs().get(output).get(0);
    ComputationGraph upToThere = Subgraph.upTo(net, input);
    Acceleration.applyTo(upToThere);
    INDArray all = null;
    int done = 0;
    ImageBatches batches = ImageBatches.ofImages(images, upToThere, BATCH);
    try (ReadAhead<INDArray> ahead = batches.ahead(batches.inOrder())) {
      while (ahead.hasNext()) {
        INDArray some = upToThere.outputSingle(false, ahead.next());
        INDArray rows = some.reshape('c', some.size(0), some.length() / some.size(0));
        if (!Double.isFinite(rows.sumNumber().doubleValue())) {
          throw new NotFiniteException("what its classifier sees is not finite");
        }
        if (all == null) {
          requireRoom(rows.size(1), images.size());
          all = Nd4j.create(DataType.FLOAT, images.size(), rows.size(1));
        }
        int end = done + (int) rows.size(0);
        all.get(NDArrayIndex.interval(done, end), NDArrayIndex.all()).assign(rows);
        done = end;
        progress.featuresDone(done, images.size());
      }
    }
    return all;
  }

  private static void requireRoom(long length, int images) {
    int most = RidgeClassifier.mostExamples(length);
    if (images > most) {
      throw new UserException(
          "--labels needs at most %d pictures of this model, of which %d numbers are kept; got %d"
              .formatted(most, length, images));
    }
  }

  /** Scores of each fold by a classifier of the others, as probabilities. */
  private static INDArray answers(INDArray vectors, int[] labels, int classes) {
    int[] folds = new int[labels.length];
    int[] seen = new int[classes];
    for (int i = 0; i < labels.length; i++) {
      folds[i] = seen[labels[i]]++ % FOLDS;
    }
    INDArray answers = Nd4j.create(DataType.FLOAT, labels.length, classes);
    for (int fold = 0; fold < FOLDS; fold++) {
      int number = fold;
      int[] learnt = IntStream.range(0, folds.length).filter(i -> folds[i] != number).toArray();
      int[] asked = IntStream.range(0, folds.length).filter(i -> folds[i] == number).toArray();
      if (asked.length == 0) {
        continue;
      }
      RidgeClassifier fitted =
          RidgeClassifier.fit(
              vectors.getRows(learnt), IntStream.of(learnt).map(i -> labels[i]).toArray(), classes);
      INDArray scores =
          vectors
              .getRows(asked)
              .mmul(fitted.weights())
              .addiRowVector(fitted.bias().reshape(classes));
      INDArray shares = Transforms.softmax(scores);
      for (int i = 0; i < asked.length; i++) {
        answers.putRow(asked[i], shares.getRow(i));
      }
    }
    return answers;
  }

  /**
   * How many labels are doubtful.
   *
   * @return how many answers are other classes
   */
  public int size() {
    return predictions.mistakes().size();
  }

  /**
   * The likeliest wrong labels first, with pictures.
   *
   * @return a page
   */
  public String html() {
    HtmlPage page = new HtmlPage("Which labels may be wrong?");
    page.paragraph(
        "Each picture was answered by a classifier that had not learnt it. Green: the label. Red:"
            + " the answer. The likeliest wrong labels come first; further down it is mostly the"
            + " answer that is wrong.");
    new MistakeSection(page, predictions, "pictures").add();
    return page.html();
  }

  /**
   * The same as a table.
   *
   * @return a line for each: file, label, answer, its probability
   */
  public String csv() {
    return predictions.csv(predictions.mistakes());
  }
}
