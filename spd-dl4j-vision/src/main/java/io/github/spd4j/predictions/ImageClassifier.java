/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.models.Engine;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.models.SafeModels;
import io.github.spd4j.statistics.Familiarity;
import io.github.spd4j.statistics.Temperature;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Classifies images with a trained network, just as {@code ./spd predict} does.
 *
 * <pre>{@code
 * ImageClassifier classifier = ImageClassifier.load(Path.of("run/model.zip"));
 * Classification answer = classifier.classify(Path.of("leaf.jpg"));
 * System.out.println(answer.label() + " " + answer.probability());
 * }</pre>
 *
 * <p>The model file says all there is to know: classes, size, views, and how colours become
 * numbers. It is read by {@link SafeModels}, and need not be trusted.
 *
 * <p>Safe for use by several threads. Images are decoded at the same time; the network takes one
 * after the other. The answer to an image does not depend on what else is asked.
 *
 * <p>A server gets more out of a network by asking it for several images at a time: {@link
 * #prepare} them on as many threads as there are, and {@link #classifyTogether} those that wait.
 */
public final class ImageClassifier {

  private static final String MODEL = "model.zip";

  /** Never leaves this object; also the lock for it, as a network runs once at a time. */
  private final ComputationGraph net;

  /** Used under the same lock. */
  private final NetworkOutputs answers;

  private final ModelCard card;
  private Attribution attribution;

  private ImageClassifier(ComputationGraph net, ModelCard card, Engine engine) {
    this.net = net;
    this.card = card;
    for (Layer layer : net.getLayers()) { // matters to training only, and no backward pass wants it
      layer.conf().getLayer().setIDropout(null);
    }
    Acceleration.applyTo(net);
    this.answers = new NetworkOutputs(net, card, engine);
  }

  /**
   * Reads a model. {@link Engine#AUTO} chooses what computes the answers.
   *
   * @param place a model file with its {@link ModelCard}, or the folder of a run
   * @return the classifier
   * @throws IOException if there is none, it is damaged or not safe, or does not fit its card
   */
  public static ImageClassifier load(Path place) throws IOException {
    Objects.requireNonNull(place, "place");
    return load(place, SafeModels.allowing());
  }

  /**
   * Reads a model whose answers another engine computes. They are the same to 1e-5.
   *
   * @param place a model file with its {@link ModelCard}, or the folder of a run
   * @param engine what computes the answers; explanations come from DL4J
   * @return the classifier
   * @throws IOException if there is none, it is damaged or not safe, or does not fit its card
   * @throws IllegalStateException if the engine is not on the class path
   */
  public static ImageClassifier load(Path place, Engine engine) throws IOException {
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(engine, "engine");
    return load(place, SafeModels.allowing(), engine);
  }

  /**
   * Reads a model with layers of one's own. {@link Engine#AUTO} chooses what computes the answers.
   *
   * @param place a model file with its {@link ModelCard}, or the folder of a run
   * @param models which classes the file may name
   * @return the classifier
   * @throws IOException if there is none, it is damaged or not safe, or does not fit its card
   */
  public static ImageClassifier load(Path place, SafeModels models) throws IOException {
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(models, "models");
    return load(place, models, Engine.AUTO);
  }

  private static ImageClassifier load(Path place, SafeModels models, Engine engine)
      throws IOException {
    Path file = Files.isDirectory(place) ? place.resolve(MODEL) : place;
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          place + ": expected the folder of a run with its " + MODEL + ", or that file");
    }
    ModelCard card = ModelCard.read(file);
    ComputationGraph net = models.readGraph(file);
    long outputs = outputs(net);
    if (outputs != card.classes().size()) {
      throw new IOException(
          String.format(
              "%s: expected as many classes as the network has outputs, %d, got %d",
              file, outputs, card.classes().size()));
    }
    try {
      OutputSizes.check(net.getConfiguration(), card.size());
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
    return new ImageClassifier(net, card, engine);
  }

  /** Zero if the network does not end in one layer of units. */
  private static long outputs(ComputationGraph net) {
    if (net.getNumOutputArrays() != 1 || net.getNumInputArrays() != 1) {
      return 0;
    }
    org.deeplearning4j.nn.conf.layers.Layer last =
        net.getLayer(net.getConfiguration().getNetworkOutputs().get(0)).conf().getLayer();
    return last instanceof FeedForwardLayer ? ((FeedForwardLayer) last).getNOut() : 0;
  }

  /**
   * Writes a model file that {@link #load} reads, in place of what was there.
   *
   * @param net a network with one input, for images, and one output, for classes
   * @param card what is known about it
   * @param file the file, in a folder that exists
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void save(ComputationGraph net, ModelCard card, Path file) {
    Objects.requireNonNull(net, "net");
    Objects.requireNonNull(card, "card");
    Objects.requireNonNull(file, "file");
    if (outputs(net) != card.classes().size()) {
      throw new IllegalArgumentException(
          String.format(
              "expected as many classes as the network has outputs, %d, got %d",
              outputs(net), card.classes().size()));
    }
    AtomicFile.write(file, out -> card.write(net, out));
  }

  /**
   * What is known about the network.
   *
   * @return the card of the model file
   */
  public ModelCard card() {
    return card;
  }

  /**
   * What computes the answers; explanations come from DL4J.
   *
   * @return DL4J or ONNXRUNTIME
   */
  public Engine engine() {
    return answers.engine();
  }

  /**
   * The names of the classes.
   *
   * @return in the order of the network's output; cannot be changed
   */
  public List<String> classes() {
    return card.classes();
  }

  /**
   * Classifies an image file.
   *
   * @param image the file
   * @return the probabilities of the classes
   * @throws IOException if it is no sound image; the message names it
   */
  public Classification classify(Path image) throws IOException {
    return classify(Pixels.read(image));
  }

  /**
   * Classifies an image.
   *
   * @param image the bytes of an image file, read to their end; not closed
   * @return the probabilities of the classes
   * @throws IOException if it is no sound image
   */
  public Classification classify(InputStream image) throws IOException {
    return classify(Pixels.read(image));
  }

  /**
   * Classifies an image.
   *
   * @param image a picture
   * @return the probabilities of the classes
   */
  public Classification classify(BufferedImage image) {
    return classify(Pixels.of(image));
  }

  /**
   * Classifies image files.
   *
   * @param images the files
   * @return an answer for each, in the same order, and the same as for each by itself
   * @throws IOException if one of them is no sound image; the message names it
   */
  public List<Classification> classify(List<Path> images) throws IOException {
    List<Classification> answers = new ArrayList<>();
    try (PreparedImages ahead = prepareAhead(images)) {
      ahead.forEachRemaining(image -> answers.addAll(classifyTogether(List.of(image))));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return answers;
  }

  /**
   * Prepares image files, each while the one before it is classified.
   *
   * @param images the files
   * @return the images in the same order, to be closed after use
   */
  public PreparedImages prepareAhead(List<Path> images) {
    return new PreparedImages(this, images);
  }

  /**
   * Decodes an image and cuts out what the network will see.
   *
   * @param image the bytes of an image file, read to their end; not closed
   * @return the image for {@link #classifyTogether} and {@link #attribution} of this classifier
   * @throws IOException if it is no sound image
   */
  public PreparedImage prepare(InputStream image) throws IOException {
    return prepare(Pixels.read(image));
  }

  PreparedImage prepare(Pixels image) {
    List<Pixels> views = views(image, card.views());
    List<Pixels> plain = card.views().areWhole() ? views : views(image, Views.PLAIN);
    return new PreparedImage(this, views, plain.get(0));
  }

  private List<Pixels> views(Pixels image, Views views) {
    Pixels canvas = views.canvas(image, card.size());
    List<Pixels> all = new ArrayList<>();
    for (int i = 0; i < views.count(); i++) {
      all.add(views.view(i, "", 0).cut(canvas, card.size(), 0, 0));
    }
    return all;
  }

  /**
   * Classifies images in one pass of the network, which takes less time than one pass for each, and
   * more memory.
   *
   * @param images images that {@link #prepare} made
   * @return an answer for each, in the same order; that of each by itself, to rounding
   * @throws NotFiniteException if the network's numbers are not finite
   */
  public List<Classification> classifyTogether(List<PreparedImage> images) {
    List<Pixels> inputs = new ArrayList<>();
    images.forEach(image -> inputs.addAll(own(image).views()));
    return images.isEmpty() ? List.of() : outputs(inputs);
  }

  private PreparedImage own(PreparedImage image) {
    if (image.maker() != this) {
      throw new IllegalArgumentException(
          "expected an image that this classifier prepared, got that of another");
    }
    return image;
  }

  private Classification classify(Pixels image) {
    return outputs(views(image, card.views())).get(0);
  }

  /** The answers for images of which all views stand in a row. */
  private List<Classification> outputs(List<Pixels> views) {
    int each = card.views().count();
    List<Classification> answers = new ArrayList<>();
    INDArray input = input(views);
    synchronized (net) {
      List<INDArray> all = this.answers.of(input);
      for (int first = 0; first < views.size(); first += each) {
        INDArrayIndex own = NDArrayIndex.interval(first, first + each);
        double[] probabilities = all.get(0).get(own).mean(0).toDoubleVector();
        if (!Arrays.stream(probabilities).allMatch(Double::isFinite)) {
          throw new NotFiniteException("the network's output is NaN or infinite");
        }
        double[] calibrated = Temperature.apply(card.confidence().temperature(), probabilities);
        answers.add(
            new Classification(
                card.classes(),
                calibrated,
                card.confidence().unsureBelow(),
                all.size() > 1 && isUnlike(all.get(1).get(own))));
      }
    }
    return answers;
  }

  /** Whether the views of an image, of which it has the means of the maps, are unlike others. */
  private boolean isUnlike(INDArray means) {
    Confidence known = card.confidence();
    double[] vector = means.mean(0).toDoubleVector();
    if (!Arrays.stream(vector).allMatch(Double::isFinite)) {
      throw new NotFiniteException("the feature maps are NaN or infinite");
    }
    Familiarity familiarity = known.familiarity().orElseThrow();
    if (vector.length != familiarity.length()) {
      throw new DL4JInvalidInputException(
          String.format(
              "expected as many feature maps as the card knows, %d, got %d",
              familiarity.length(), vector.length));
    }
    return familiarity.distance(vector) > known.unlikeAbove();
  }

  /** Images of the network's size, one below the other. */
  private INDArray input(List<Pixels> images) {
    INDArray[] stack = images.stream().map(card.pixels()::array).toArray(INDArray[]::new);
    return Nd4j.concat(0, stack).castTo(net.getConfiguration().getDataType());
  }

  /**
   * Whether answers can be explained.
   *
   * @return true for a network of {@link SpdGraft}
   */
  public boolean explains() {
    return net.getConfiguration()
        .getVertices()
        .keySet()
        .containsAll(List.of(Backbone.MAPS, SpdGraft.CLASSIFIER));
  }

  /**
   * Shows which places of an image spoke for its class, and which against it.
   *
   * @param image the file
   * @return the image, and beside it the image under its {@link Attribution}
   * @throws IOException if it is no sound image; the message names it
   */
  public BufferedImage explain(Path image) throws IOException {
    return explain(Pixels.read(image));
  }

  /**
   * Shows which places of an image spoke for its class, and which against it.
   *
   * @param image a picture
   * @return the image, and beside it the image under its {@link Attribution}
   */
  public BufferedImage explain(BufferedImage image) {
    return explain(Pixels.of(image));
  }

  private BufferedImage explain(Pixels image) {
    PreparedImage prepared = prepare(image);
    String answer = classifyTogether(List.of(prepared)).get(0).label();
    INDArray whole = input(List.of(prepared.whole()));
    return Explanation.picture(card.pixels().picture(whole), attribution(whole, answer));
  }

  /**
   * How much each place of an image spoke for a class, or against it: the numbers behind {@link
   * #explain(Path) explain}.
   *
   * @param image an image that {@link #prepare} made
   * @param label the name of the class
   * @return the {@link Attribution}, row by row: a grid over the whole image, above zero where it
   *     speaks for the class
   */
  public double[][] attribution(PreparedImage image, String label) {
    return attribution(input(List.of(own(image).whole())), label).toDoubleMatrix();
  }

  private INDArray attribution(INDArray whole, String label) {
    if (!explains()) {
      throw new IllegalStateException(
          "expected a network of SpdGraft, with the vertices '"
              + Backbone.MAPS
              + "' (where the backbone ends) and '"
              + SpdGraft.CLASSIFIER
              + "', got another: explains() tells beforehand");
    }
    int answer = card.classes().indexOf(label);
    if (answer < 0) {
      throw new IllegalArgumentException("expected one of " + card.classes() + ", got " + label);
    }
    synchronized (net) {
      if (attribution == null) {
        attribution = new Attribution(net);
      }
      return attribution.of(whole, answer);
    }
  }
}
