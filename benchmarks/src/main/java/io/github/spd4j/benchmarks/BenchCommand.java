/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.cli.CommandExtension;
import io.github.spd4j.experiments.Json;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import java.io.PrintWriter;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code spd bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    resourceBundle = "io.github.spd4j.benchmarks.BenchCommand",
    description = {
      "Times the head and VGG-16's convolutions beside PyTorch's.",
      "Both compute the same, which is checked first, and take turns."
    })
public final class BenchCommand implements CommandExtension {

  @Spec private CommandSpec spec;

  @Mixin private BenchOptions options = new BenchOptions();

  /** For picocli. */
  public BenchCommand() {}

  @Override
  public Integer call() {
    options.check();
    OwnFolder.claim("--out", options.out).own("bench.md", "bench.json");
    PrintWriter out = spec.commandLine().getOut();
    BenchResult result;
    try (TorchSide torch =
        options.heads ? null : TorchSide.start(options.python, options.threads).orElse(null)) {
      if (torch == null && !options.heads) {
        out.println("No Python with PyTorch found: ours is timed alone.");
        out.flush();
      }
      result = new Bench(options, Optional.ofNullable(torch)).run();
    }
    BenchReport report = new BenchReport(result);
    AtomicFile.write(options.out.resolve("bench.md"), report.markdown());
    Json.write(options.out.resolve("bench.json"), result);
    out.println(report.summary());
    out.println("Written to " + options.out.toAbsolutePath().normalize());
    out.flush();
    return 0;
  }
}
