/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** That the benchmarks start; how fast they are is for {@code benchmarks/jmh} to tell. */
class JmhTest {

  @Test
  void everyBenchmarkRunsOnce() throws RunnerException {
    Options once =
        new OptionsBuilder()
            .include(JmhTest.class.getPackageName() + ".*Benchmark")
            .param("batch", "2")
            .param("channels", "6")
            .param("outputs", "4")
            .param("size", "6")
            .param("rows", "6")
            .param("columns", "4")
            .mode(Mode.SingleShotTime)
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    Collection<RunResult> results = new Runner(once).run();
    int kernels = 2 * KernelBenchmark.Choice.values().length;
    int layers = 2 * LayerBenchmark.Choice.values().length;
    int retractions = 2;
    int head = 2;
    assertThat(results).hasSize(kernels + layers + retractions + head);
  }
}
