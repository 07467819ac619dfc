/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.models.ModelArchive;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.Deflater;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.nd4j.shade.jackson.annotation.JsonPropertyOrder;
import org.nd4j.shade.jackson.core.JsonProcessingException;
import org.nd4j.shade.jackson.databind.DeserializationFeature;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * What one must know to use a trained network: the names of its classes, and how an image becomes
 * its input. It is JSON in an entry of the model file, which DL4J passes over.
 */
@JsonPropertyOrder({
  "version",
  "method",
  "backbone",
  "classes",
  "size",
  "views",
  "input",
  "filter",
  "confidence"
})
public final class ModelCard {

  /** The entry of a model file. */
  public static final String ENTRY = "spd4j/model.json";

  /** The file beside a model file that has no such entry. */
  public static final String FILE = "model.json";

  private static final int VERSION = 1;

  /** The largest height and width of images. */
  public static final int LARGEST_SIZE = 1 << 13;

  /** Linear interpolation, widened where an image gets smaller: see {@code Pixels.resize}. */
  private static final String FILTER = "triangle";

  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final String method;
  private final String backbone;
  private final List<String> classes;
  private final int size;
  private final Views views;
  private final PixelFormat pixels;
  private final Confidence confidence;

  private ModelCard(
      String method,
      String backbone,
      List<String> classes,
      int size,
      Views views,
      PixelFormat pixels,
      Confidence confidence) {
    require(classes != null && !classes.isEmpty() && views != null, "classes and views", "not all");
    require(
        classes.stream().noneMatch(name -> name == null || name.isEmpty())
            && new HashSet<>(classes).size() == classes.size(),
        "a name of its own for each class",
        classes);
    require(size >= 1 && size <= LARGEST_SIZE, "images of 1 to " + LARGEST_SIZE + " pixels", size);
    require(!views.isRandom(), "views without chance", views);
    this.method = method;
    this.backbone = backbone;
    this.classes = List.copyOf(classes);
    this.size = size;
    this.views = views;
    this.pixels = pixels;
    this.confidence = confidence;
  }

  static void require(boolean holds, String expected, Object got) {
    if (!holds) {
      throw new IllegalArgumentException(
          "expected " + expected + ", got " + ModelArchive.quoted(String.valueOf(got)));
    }
  }

  /**
   * The card of a network.
   *
   * @param classes their names, in the order of the network's output
   * @param size height and width of the images
   * @param views what is seen of an image; probabilities are averaged over them
   * @param pixels how the colours of an image become numbers
   * @return the card
   */
  public static ModelCard of(List<String> classes, int size, Views views, PixelFormat pixels) {
    return new ModelCard(null, null, classes, size, views, pixels, Confidence.UNKNOWN);
  }

  /** What the JSON says. */
  @JsonCreator
  static ModelCard parsed(
      @JsonProperty("version") int version,
      @JsonProperty("method") String method,
      @JsonProperty("backbone") String backbone,
      @JsonProperty("classes") List<String> classes,
      @JsonProperty("size") int size,
      @JsonProperty("views") Views views,
      @JsonProperty("input") String input,
      @JsonProperty("filter") String filter,
      @JsonProperty("confidence") Confidence confidence) {
    require(version == VERSION, "version " + VERSION, version);
    require(filter == null || filter.equals(FILTER), "the filter " + FILTER, filter);
    PixelFormat pixels = PixelFormat.valueOf(String.valueOf(input));
    Confidence known = confidence == null ? Confidence.UNKNOWN : confidence; // of older files
    return new ModelCard(method, backbone, classes, size, views, pixels, known);
  }

  /**
   * The same card with the name of the head, for reports.
   *
   * @param name the name
   * @return a new card
   */
  public ModelCard method(String name) {
    return new ModelCard(name, backbone, classes, size, views, pixels, confidence);
  }

  /**
   * The same card with the name of the backbone, for reports.
   *
   * @param name the name
   * @return a new card
   */
  public ModelCard backbone(String name) {
    return new ModelCard(method, name, classes, size, views, pixels, confidence);
  }

  /**
   * The same card with what is known of how far answers can be trusted.
   *
   * @param known what is known
   * @return a new card
   */
  public ModelCard confidence(Confidence known) {
    return new ModelCard(
        method, backbone, classes, size, views, pixels, Objects.requireNonNull(known, "known"));
  }

  /**
   * The card in a model file, or beside it.
   *
   * @param model the file
   * @return the card
   * @throws IOException if there is none, or it makes no sense
   */
  public static ModelCard read(Path model) throws IOException {
    Objects.requireNonNull(model, "model");
    try (ModelArchive archive = ModelArchive.open(model)) {
      if (archive.names().contains(ENTRY)) {
        return parse(archive.text(ENTRY), model + ", " + ENTRY);
      }
    }
    Path beside = model.toAbsolutePath().resolveSibling(FILE);
    if (!Files.isRegularFile(beside)) {
      throw new IOException(
          String.format(
              "%s: expected an entry %s, or %s beside it, that says which classes and images it"
                  + " knows, got neither",
              model, ENTRY, FILE));
    }
    if (Files.size(beside) > ModelArchive.LONGEST_TEXT) {
      throw new IOException(beside + ": expected a short description of a model, got a large file");
    }
    return parse(Files.readString(beside), beside.toString());
  }

  private static ModelCard parse(String json, String place) throws IOException {
    try {
      ModelCard card = JSON.readValue(json, ModelCard.class);
      require(card != null, "the description of a model", json);
      return card;
    } catch (JsonProcessingException | IllegalArgumentException e) {
      Throwable reason = e.getCause() instanceof IllegalArgumentException ? e.getCause() : e;
      String line = String.valueOf(reason.getMessage()).lines().findFirst().orElse("");
      throw new IOException(place + ": " + line, e);
    }
  }

  /**
   * Writes a model file with this card in it, which DL4J reads like any other.
   *
   * @param net the network, without the state of its updaters
   * @param out where to; not closed
   * @throws IOException if that fails
   */
  public void write(ComputationGraph net, OutputStream out) throws IOException {
    ZipOutputStream zip = new ZipOutputStream(out);
    zip.setLevel(Deflater.BEST_SPEED); // weights hardly shrink
    ModelArchive.put(zip, ModelSerializer.CONFIGURATION_JSON, net.getConfiguration().toJson());
    ModelArchive.put(zip, ModelSerializer.COEFFICIENTS_BIN, net.params());
    ModelArchive.put(zip, ENTRY, json());
    Map<String, byte[]> files = new LinkedHashMap<>();
    FileLayer.in(net).forEach(layer -> files.put(SafeModels.entry(layer), layer.file()));
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      ModelArchive.put(zip, file.getKey(), file.getValue());
    }
    zip.finish();
  }

  /**
   * The card as text.
   *
   * @return JSON, as it stands in the files
   */
  public String json() {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot be written as JSON: " + classes, e);
    }
  }

  @JsonProperty("version")
  private int version() {
    return VERSION;
  }

  /**
   * The name of the head.
   *
   * @return null if nobody said it
   */
  @JsonProperty
  public String method() {
    return method;
  }

  /**
   * The name of the backbone.
   *
   * @return null if nobody said it
   */
  @JsonProperty
  public String backbone() {
    return backbone;
  }

  /**
   * The names of the classes.
   *
   * @return in the order of the network's output; cannot be changed
   */
  @JsonProperty
  public List<String> classes() {
    return classes;
  }

  /**
   * The size of the images.
   *
   * @return height and width in pixels
   */
  @JsonProperty
  public int size() {
    return size;
  }

  /**
   * What is seen of an image.
   *
   * @return the views, none of them random
   */
  @JsonProperty
  public Views views() {
    return views;
  }

  /**
   * How the colours of an image become numbers.
   *
   * @return the format
   */
  @JsonProperty("input")
  public PixelFormat pixels() {
    return pixels;
  }

  /**
   * How far answers can be trusted.
   *
   * @return {@link Confidence#UNKNOWN} if nobody said it
   */
  @JsonProperty
  public Confidence confidence() {
    return confidence;
  }

  @JsonProperty("filter")
  private String filter() {
    return FILTER;
  }
}
