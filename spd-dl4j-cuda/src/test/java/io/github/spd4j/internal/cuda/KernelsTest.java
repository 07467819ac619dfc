/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What can be said of the kernels without a card. */
class KernelsTest {

  private static final List<String> NAMES =
      List.of(
          "packTriangles",
          "unpackSymmetric",
          "addTransposed",
          "diagonals",
          "squaredDistances",
          "exponentials",
          "signedRoots",
          "rowProducts",
          "inverseRoots",
          "inverseSquares",
          "squares",
          "asymmetries",
          "normalize",
          "normalizeGradient",
          "channelSums",
          "add",
          "copy",
          "scaleRows",
          "scaleColumns",
          "rectify",
          "rectifierGradient",
          "largestGradient",
          "addBias");

  private static final List<String> ROUNDED = List.of("channelsLast", "channelsFirst");

  @Test
  void wereTranslatedFromThePresentSource() throws IOException, NoSuchAlgorithmException {
    byte[] source = Files.readAllBytes(Path.of("src/main/cuda/kernels.cu"));
    byte[] sha = MessageDigest.getInstance("SHA-256").digest(source);
    String digest = String.format("%064x", new BigInteger(1, sha));
    assertThat(translation().lines().findFirst())
        .as("the first line of kernels.ptx, which make-kernels writes")
        .contains("// kernels.cu " + digest);
  }

  /** ND4J's CUDA 11 has drivers that read PTX 7.0, and cards from compute capability 3.5 on. */
  @Test
  void wantNoNewerDriverOrCardThanNd4j() throws IOException {
    assertThat(translation().lines()).contains(".version 6.3", ".target sm_35");
  }

  @Test
  void areThereForBothTypes() throws IOException {
    String text = translation();
    for (String name : NAMES) {
      assertThat(text).contains(".entry " + name + "_float(", ".entry " + name + "_double(");
    }
    for (String name : ROUNDED) {
      assertThat(text).contains(".entry " + name + "_bfloat16(");
    }
    for (String name : List.of("eigen", "eigenStart", "eigenPairs", "eigenTurn", "eigenOrder")) {
      assertThat(text).contains(".entry " + name + "_double(");
    }
  }

  private static String translation() throws IOException {
    try (InputStream stream = Kernels.class.getResourceAsStream(Kernels.RESOURCE)) {
      return new String(stream.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
