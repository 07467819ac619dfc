/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.backend.Backend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** More threads than processors, as {@code OMP_NUM_THREADS} may say. */
@Tag("once")
class ManyThreadsTest {

  private static final int SIZE = 600;

  /** Products of doubles by ND4J, and by the threads of the host. */
  static final class Products {
    private Products() {}

    public static void main(String[] args) {
      Backend.current();
      INDArray ones = Nd4j.ones(DataType.DOUBLE, SIZE, SIZE);
      double sum = ones.mmul(ones).sumNumber().doubleValue();
      INDArray floats = Nd4j.ones(DataType.FLOAT, SIZE, SIZE);
      int[] done = new int[1];
      Workers.shareProducts(
          64,
          (worker, from, to) -> {
            for (int i = from; i < to; i++) {
              HostMatrix target = HostMatrix.of(Nd4j.create(DataType.FLOAT, SIZE, SIZE));
              HostMatrix factor = HostMatrix.of(floats);
              target.setProduct(1, factor.plain(), factor.plain(), 0);
              synchronized (done) {
                done[0]++;
              }
            }
          });
      System.out.println("sum " + sum + " done " + done[0]);
    }
  }

  @Test
  void doNotEndTheProcess(@TempDir Path folder) throws IOException, InterruptedException {
    Path output = folder.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:ErrorFile=" + folder.resolve("error.txt"),
                "-cp",
                System.getProperty("java.class.path"),
                Products.class.getName())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    int threads = 4 * Runtime.getRuntime().availableProcessors();
    builder.environment().put("OMP_NUM_THREADS", String.valueOf(threads));
    Process process = builder.start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(Files.readString(output)).contains("sum 2.16E8 done 64");
    assertThat(process.exitValue()).isZero();
  }
}
