/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.spd4j.testing.Generator;
import io.github.spd4j.testing.NetworkFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.deeplearning4j.exception.DL4JException;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.exception.ND4JException;

/**
 * Model files that are damaged at random, with checksums that are right: each is refused in a line
 * that names it, or is a network with finite parameters, which answers or says why not.
 */
@Tag("once")
class ModelFuzzTest {

  private static final int LONGEST_LINE = 2000;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final List<String> NETWORKS =
      List.of("graph-float", "graph-double", "layers-float");

  /** What a field of JSON may hold. */
  private static final Pattern VALUE =
      Pattern.compile("(?<=: ?)(\"[^\"]*\"|-?[0-9.E-]+|true|null)");

  private static final List<String> ODD =
      List.of(
          "null",
          "0",
          "-1",
          "2147483647",
          "9223372036854775808",
          "1e308",
          "\"NaN\"",
          "\"\"",
          "true",
          "[]",
          "{}",
          "{\"@class\": \"java.lang.Runtime\"}");

  @TempDir Path folder;

  @Test
  void whatIsDamagedIsRefusedOrSound() {
    Generator.MODELS.each(0.1, this::isRefused);
  }

  private boolean isRefused(long seed) throws IOException {
    Random random = new Random(seed);
    Path source = NetworkFiles.file(any(NETWORKS, random));
    Map<String, byte[]> entries = Archives.read(source);
    List<String> names = new ArrayList<>(entries.keySet());
    for (int damages = 1 + random.nextInt(3); damages > 0; damages--) {
      entries.computeIfPresent(any(names, random), (name, bytes) -> damaged(name, bytes, random));
    }
    Path file = Archives.write(folder.resolve("model-of-seed-" + seed + ".zip"), entries);
    return !assertTimeoutPreemptively(LIMIT, () -> isRead(file));
  }

  private static <T> T any(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  /** Null is an entry that is left out. */
  private static byte[] damaged(String name, byte[] bytes, Random random) {
    if (random.nextInt(12) == 0) {
      return null;
    }
    return name.endsWith(".json") && random.nextInt(4) > 0
        ? otherValue(bytes, random)
        : otherBytes(bytes, random);
  }

  private static byte[] otherValue(byte[] bytes, Random random) {
    String json = Archives.text(bytes);
    List<MatchResult> values = VALUE.matcher(json).results().collect(Collectors.toList());
    MatchResult value = any(values, random);
    return Archives.bytes(
        json.substring(0, value.start())
            + (random.nextBoolean() ? any(ODD, random) : any(values, random).group())
            + json.substring(value.end()));
  }

  /** Some bytes are left out, doubled, or replaced. */
  private static byte[] otherBytes(byte[] bytes, Random random) {
    int from = random.nextInt(bytes.length);
    int to = Math.min(bytes.length, from + 1 + random.nextInt(16));
    List<Byte> all = new ArrayList<>();
    for (byte b : bytes) {
      all.add(b);
    }
    List<Byte> part = new ArrayList<>(all.subList(from, to));
    switch (random.nextInt(3)) {
      case 0:
        all.subList(from, to).clear();
        break;
      case 1:
        all.addAll(from, part);
        break;
      default:
        all.subList(from, to).replaceAll(b -> (byte) random.nextInt());
    }
    byte[] damaged = new byte[all.size()];
    for (int i = 0; i < damaged.length; i++) {
      damaged[i] = all.get(i);
    }
    return damaged;
  }

  /** What commands explain in a line: anything else is a mistake of the program. */
  private static void ask(Model net) {
    try {
      INDArray images = NetworkFiles.images(2, 6);
      if (net instanceof ComputationGraph) {
        ((ComputationGraph) net).outputSingle(images);
      } else {
        ((MultiLayerNetwork) net).output(images);
      }
    } catch (IllegalStateException | DL4JException | ND4JException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  private static boolean isRead(Path file) throws IOException {
    try {
      Model net = SafeModels.load(file);
      assertThat(net.params().isNaN().any() || net.params().isInfinite().any()).isFalse();
      ask(net);
      return true;
    } catch (IOException e) {
      assertThat(e.getMessage())
          .contains(file.getFileName().toString())
          .hasSizeLessThan(LONGEST_LINE)
          .doesNotContain("\n");
      return false;
    } catch (RuntimeException | Error e) {
      Path kept = Files.copy(file, Files.createTempFile("broke-", ".zip"), REPLACE_EXISTING);
      throw new AssertionError(kept + " should have been refused", e);
    } finally {
      Files.delete(file);
    }
  }
}
