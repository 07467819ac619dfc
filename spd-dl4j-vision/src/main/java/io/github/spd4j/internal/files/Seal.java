/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import java.io.IOException;
import java.util.regex.Pattern;

/**
 * A checksum in a JSON object, as its last member {@code sha256}: of the text before it, and of
 * what the object belongs to. Whoever reads the object passes over it; a change of any character,
 * and an object that was put in another's place, are noticed.
 */
public final class Seal {

  /** The name of the member. */
  public static final String NAME = "sha256";

  private static final String MEMBER = '"' + NAME + "\" : ";

  /** What a text that once had a seal still has, whichever of its characters changed. */
  private static final Pattern TRACE = Pattern.compile(NAME + "|[0-9a-f]{64}");

  private Seal() {}

  /**
   * Puts a seal on an object.
   *
   * @param json the text of a JSON object
   * @param owner what it belongs to; need not be in the text
   * @return the text of the object with one member more
   */
  public static String on(String json, String owner) {
    String body = json.strip();
    if (!body.startsWith("{") || !body.endsWith("}")) {
      throw new IllegalArgumentException("expected the text of a JSON object, got " + json);
    }
    body = body.substring(0, body.length() - 1).stripTrailing();
    String comma = body.length() > 1 ? "," : "";
    String digest = Digest.of(owner + "\n" + body);
    return body + comma + "\n  " + MEMBER + '"' + digest + "\"\n}\n";
  }

  /**
   * Checks the seal of an object.
   *
   * @param text what {@link #on} gave, or an object without a seal
   * @param owner what it should belong to
   * @return false if there is no seal
   * @throws IOException if there is one that is wrong
   */
  public static boolean isOn(String text, String owner) throws IOException {
    if (!TRACE.matcher(text).find()) {
      return false;
    }
    int member = text.lastIndexOf(MEMBER);
    String body = member < 0 ? "" : text.substring(0, member).stripTrailing();
    body = body.endsWith(",") ? body.substring(0, body.length() - 1) : body;
    if (!body.startsWith("{") || !on(body + "}", owner).equals(text)) {
      throw new IOException("its checksum is wrong: it is damaged, was edited, or is another's");
    }
    return true;
  }
}
