/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import io.github.spd4j.internal.backend.Bounds;
import io.github.spd4j.internal.models.ModelArchive;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.nd4j.shade.jackson.core.JsonFactory;
import org.nd4j.shade.jackson.core.JsonParser;
import org.nd4j.shade.jackson.core.JsonStreamContext;
import org.nd4j.shade.jackson.core.JsonToken;

/**
 * Looks through the JSON of a network before anything is made of it. Jackson loads and initialises
 * each class that such a text names, and layers are made as large as it says; here names are
 * compared, and numbers have a bound.
 */
final class ConfigurationCheck {

  /** Packages of DL4J, ND4J and this library that hold configurations. */
  private static final List<String> CONFIGURATIONS =
      List.of(
          "org.deeplearning4j.nn.conf.",
          "org.deeplearning4j.nn.weights.",
          "org.deeplearning4j.nn.modelimport.keras.preprocessors.",
          "org.nd4j.linalg.activations.",
          "org.nd4j.linalg.learning.",
          "org.nd4j.linalg.lossfunctions.",
          "org.nd4j.linalg.schedule.",
          "io.github.spd4j.kernel.",
          "io.github.spd4j.layers.",
          "io.github.spd4j.onnx.OnnxLayer",
          "io.github.spd4j.updater.");

  /** Where DL4J writes a class; distributions have theirs in the second, others may have words. */
  private static final String CLASS = "@class";

  private static final String TYPE = "type";

  /** Without the signs of generics, which Jackson would follow to further classes. */
  private static final Pattern CLASS_NAME = Pattern.compile("[\\w$]+(\\.[\\w$]+)+");

  private static final String INPUTS = "vertexInputs";

  /** Fields of names, which may be digits. */
  private static final Set<String> NAMES =
      Set.of(
          "layerName", "networkInputs", "networkOutputs", "topologicalOrderStr", INPUTS, "digest");

  /** A text that Jackson makes a number of, where a field is one. */
  private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?[\\d.]+([eE][+-]?\\d+)?\\s*");

  private static final int DEEPEST = 100;
  private static final int LONGEST_STRING = 1 << 16;
  private static final int LONGEST_NUMBER = 64;

  private final Collection<String> allowed;

  /**
   * Allows the configurations of DL4J, ND4J and this library.
   *
   * @param allowed more classes; a name that ends with a dot is a package and all below it
   */
  ConfigurationCheck(Collection<String> allowed) {
    this.allowed = allowed;
  }

  /**
   * Fails unless a text is sound JSON that names allowed classes only.
   *
   * @return the names of the outermost fields
   */
  Set<String> fields(String json) throws IOException {
    Set<String> outermost = new HashSet<>();
    int depth = 0;
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        require(depth <= DEEPEST, "expected at most %d levels, got more", DEEPEST);
        int length = parser.getTextLength();
        int longest = token.isNumeric() ? LONGEST_NUMBER : LONGEST_STRING;
        require(length <= longest, "expected at most %d characters, got %d", longest, length);
        if (token == JsonToken.FIELD_NAME && depth == 1) {
          outermost.add(parser.getCurrentName());
        } else if (token == JsonToken.VALUE_STRING) {
          if (!isName(parser)) {
            check(nameOf(parser), parser.getText());
          }
        } else if (token.isNumeric()) {
          checkSize(nameOf(parser), parser.getDecimalValue());
        }
      }
    }
    return outermost;
  }

  private void check(String field, String value) throws IOException {
    require(
        !Bounds.isNumber(field) && !NUMBER.matcher(value).matches(),
        "expected no text as %s, of which a number would be made, got %s",
        ModelArchive.quoted(field),
        ModelArchive.quoted(value));
    if (CLASS.equals(field) || TYPE.equals(field) && value.indexOf('.') >= 0) {
      require(
          CLASS_NAME.matcher(value).matches() && isAllowed(value),
          "expected a configuration of DL4J, ND4J or this library, got the class %s;"
              + " if you trust it, allow it by name",
          ModelArchive.quoted(value));
    }
  }

  /** The field of a value, or that of the array that it stands in. */
  private static String nameOf(JsonParser parser) {
    JsonStreamContext place = parser.getParsingContext();
    while (place.inArray()) {
      place = place.getParent();
    }
    return String.valueOf(place.getCurrentName());
  }

  /**
   * Whether a text is the name of a vertex; the inputs of each are a list below its name. A vertex
   * may have any name, so that what lies elsewhere below a name is no name.
   */
  private static boolean isName(JsonParser parser) {
    JsonStreamContext place = parser.getParsingContext();
    boolean listed = place.inArray();
    while (place.inArray()) {
      place = place.getParent();
    }
    String field = String.valueOf(place.getCurrentName());
    if (CLASS.equals(field) || TYPE.equals(field)) {
      return false;
    }
    JsonStreamContext parent = place.getParent();
    return NAMES.contains(field)
        || listed && parent != null && INPUTS.equals(parent.getCurrentName());
  }

  private static void checkSize(String field, BigDecimal value) throws IOException {
    double most = Bounds.most(field);
    require(
        Double.isInfinite(most) || value.abs().compareTo(BigDecimal.valueOf(most)) <= 0,
        "expected %s of at most %.0f, got %s",
        ModelArchive.quoted(field),
        most,
        value);
  }

  private boolean isAllowed(String name) {
    return CONFIGURATIONS.stream().anyMatch(name::startsWith)
        || allowed.stream()
            .anyMatch(one -> one.endsWith(".") ? name.startsWith(one) : name.equals(one));
  }

  private static void require(boolean holds, String format, Object... values) throws IOException {
    if (!holds) {
      throw new IOException(String.format(format, values));
    }
  }
}
