/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.Generator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lists that are damaged at random, and those that once broke something: each is refused in a line
 * that names it, or gives a data set that makes sense.
 */
class ListFuzzTest {

  private static final int LONGEST_LINE = 2000;

  /** Files named {@code KIND,folder+list,what is wrong}. */
  private static final Path CORPUS =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/corpus/lists");

  private static final List<String> LISTS =
      List.of(
          "CUB classes.txt",
          "CUB images.txt",
          "CUB image_class_labels.txt",
          "CUB train_test_split.txt",
          "AIRCRAFT data/variants.txt",
          "AIRCRAFT data/images_variant_trainval.txt",
          "AIRCRAFT data/images_variant_test.txt",
          "DTD_OFFICIAL labels/train1.txt",
          "DTD_OFFICIAL labels/val2.txt",
          "DTD_OFFICIAL labels/test1.txt");

  private static final List<String> ODD =
      List.of(
          "", " ", "\0", "\ufeff", "\r", "\n", "\u2028", "../", "/", "\\", "1 1\n", "2", "-1", "é");

  @TempDir Path folder;

  /** True if the set was read, false if it was refused as it should be. */
  private static boolean isRead(DataSetKind kind, Path root, String what) {
    try {
      ImageDataSet set = kind.read(root);
      for (ImageFile image : set.images()) {
        assertThat(image.path().toRealPath()).as(what).startsWith(root.toRealPath());
      }
      assertThat(set.images().stream().map(ImageFile::path)).as(what).doesNotHaveDuplicates();
      for (Partition partition : kind.partitions(set, 1, 0)) {
        assertThat(partition.training()).as(what).isNotEmpty();
        assertThat(partition.test()).as(what).isNotEmpty();
        assertThat(partition.training()).as(what).doesNotContainAnyElementsOf(partition.test());
      }
      return true;
    } catch (DataSetException e) {
      assertThat(e.getMessage())
          .as(what)
          .contains(root.toString())
          .hasSizeLessThan(LONGEST_LINE)
          .matches("\\P{Cntrl}*")
          .doesNotContain("Exception");
      return false;
    } catch (IOException e) {
      throw new AssertionError(what, e);
    }
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    int at = random.nextInt(bytes.length);
    byte[] copy = bytes.clone();
    switch (random.nextInt(6)) {
      case 0:
        copy[at] ^= (byte) (1 << random.nextInt(8));
        return copy;
      case 1:
        return Arrays.copyOf(copy, at);
      case 2:
        return joined(copy, at, ODD.get(random.nextInt(ODD.size())).getBytes(UTF_8));
      case 3:
        byte[] noise = new byte[random.nextInt(20)];
        random.nextBytes(noise);
        return joined(copy, at, noise);
      case 4:
        return joined(copy, at, "x".repeat(1 << random.nextInt(20)).getBytes(UTF_8));
      default:
        List<String> lines = new ArrayList<>(new String(copy, UTF_8).lines().toList());
        lines.add(lines.get(random.nextInt(lines.size())));
        Collections.swap(lines, random.nextInt(lines.size()), random.nextInt(lines.size()));
        return String.join("\n", lines).getBytes(UTF_8);
    }
  }

  private static byte[] joined(byte[] bytes, int at, byte[] inserted) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(bytes, 0, at);
    out.writeBytes(inserted);
    out.write(bytes, at, bytes.length - at);
    return out.toByteArray();
  }

  @Test
  void damagedLists() {
    Generator.LISTS.each(0.25, this::isRefused);
  }

  private boolean isRefused(long seed) throws IOException {
    String[] words = LISTS.get((int) (seed % LISTS.size())).split(" ");
    DataSetKind kind = DataSetKind.valueOf(words[0]);
    Path root = folder.resolve(words[0]);
    if (!Files.exists(root)) {
      Fixtures.copy(kind, root);
    }
    Path list = root.resolve(words[1]);
    byte[] sound = Files.readAllBytes(list);
    Files.write(list, damaged(sound, new Random(seed)));
    boolean read = isRead(kind, root, list.toString());
    Files.write(list, sound);
    return !read;
  }

  @Test
  void listsThatOnceBrokeSomething() throws IOException {
    List<Path> corpus;
    try (Stream<Path> files = Files.list(CORPUS)) {
      corpus = files.sorted().collect(Collectors.toList());
    }
    assertThat(corpus).isNotEmpty();
    for (Path file : corpus) {
      String[] words = file.getFileName().toString().split(",");
      DataSetKind kind = DataSetKind.valueOf(words[0]);
      Path root = Files.createDirectories(folder.resolve(file.getFileName()));
      Fixtures.copy(kind, root);
      Files.write(root.resolve(words[1].replace('+', '/')), Files.readAllBytes(file));
      assertThat(isRead(kind, root, words[2])).as(words[2]).isEqualTo(words[2].startsWith("read"));
    }
  }
}
