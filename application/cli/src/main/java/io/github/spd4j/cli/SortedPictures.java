/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.reports.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Copies of pictures, in a folder for each class and one for those that the model is unsure of. A
 * copy takes no other file's place: a second picture of the same name gets a number.
 */
final class SortedPictures {

  /** The folder of pictures that belong to no class for sure. */
  static final String UNSURE = "unsure";

  /** In bytes; a number and an ending follow. */
  private static final int LONGEST_STEM = 200;

  private final String option;
  private final OwnFolder folder;
  private final Map<String, String> folders = new LinkedHashMap<>();
  private final Map<String, OwnFolder> claimed = new HashMap<>();

  /**
   * Makes sure of a place before there is anything to copy.
   *
   * @param option the option that names the place, for messages
   * @param place the folder
   * @param classes all classes
   * @throws UncheckedIOException if it is somebody else's
   */
  SortedPictures(String option, Path place, List<String> classes) {
    this.option = option;
    this.folder = OwnFolder.claim(option, place);
    Set<String> taken = new HashSet<>(Set.of(UNSURE));
    for (String label : classes) {
      String plain = name(label);
      String name = plain;
      for (int i = 2; !taken.add(name.toLowerCase(Locale.ROOT)); i++) {
        name = plain + "-" + i;
      }
      folders.put(label, name);
    }
    List<String> names = new ArrayList<>(folders.values());
    names.add(UNSURE);
    names.forEach(name -> OwnFolder.requireFree(option, folder.path().resolve(name)));
    folder.own(names.toArray(String[]::new));
  }

  /**
   * Copies a picture, unless an equal copy is there.
   *
   * @param picture the picture
   * @param label its class; null if that is not sure
   */
  void add(Path picture, String label) {
    String name = label == null ? UNSURE : folders.get(label);
    OwnFolder own =
        claimed.computeIfAbsent(name, key -> OwnFolder.claim(option, folder.path().resolve(key)));
    try {
      copy(picture, own);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot copy " + picture, e);
    }
  }

  private static void copy(Path picture, OwnFolder own) throws IOException {
    String file = picture.getFileName().toString();
    String ending = Printable.of(file.substring(stem(file).length()));
    for (int i = 1; ; i++) {
      String name = name(stem(file)) + (i == 1 ? "" : "-" + i) + ending;
      Path place = own.path().resolve(name);
      if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
        own.own(name);
        AtomicFile.write(place, out -> Files.copy(picture, out));
        return;
      }
      if (Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)
          && Files.mismatch(picture, place) < 0) {
        return;
      }
    }
  }

  private static String stem(String file) {
    return file.replaceFirst("(?s)(?<=.)\\.[^./\\\\]{1,5}$", "");
  }

  /** A text as a name of a file that every system takes. */
  static String name(String text) {
    String name =
        Printable.of(text).replaceAll("[/\\\\:*?\"<>|]", "_").replaceFirst("^\\.|^$", "_");
    while (name.getBytes(StandardCharsets.UTF_8).length > LONGEST_STEM) {
      name = name.substring(0, name.offsetByCodePoints(name.length(), -1));
    }
    return name;
  }
}
