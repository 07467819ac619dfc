/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.UserException;
import io.github.spd4j.graft.HeadWeights;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.models.SafeModels;
import io.github.spd4j.onnx.OnnxExport;
import io.github.spd4j.reports.OutputFile;
import io.github.spd4j.reports.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.graph.ComputationGraph;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd export}. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Writes a trained model as an ONNX file, which runs without this program, or the weights of"
          + " its head as a .safetensors file."
    })
public final class ExportCommand implements Callable<Integer> {

  private static final String WEIGHTS = ".safetensors";

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "MODEL", description = "A run's folder or its model.zip.")
  private Path place;

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "The file to write: model.onnx, or head.safetensors.")
  private Path file;

  @Option(
      names = "--with-pixels",
      description =
          "The file takes bytes, red, green and blue [N, H, W, 3], rather than the numbers that"
              + " the network takes [N, 3, H, W].")
  private boolean withPixels;

  /** For picocli. */
  public ExportCommand() {}

  @Override
  public Integer call() {
    Path model = TrainedModel.file(place);
    String line = file.toString().endsWith(WEIGHTS) ? weights(model) : graph(model);
    PrintWriter out = spec.commandLine().getOut();
    out.println(Printable.of(file + ": " + line));
    out.flush();
    return 0;
  }

  private String weights(Path model) {
    if (withPixels) {
      throw new UserException("--with-pixels is for ONNX files: weights take no pixels");
    }
    HeadWeights weights = read(model, HeadWeights::of);
    OutputFile output = OutputFile.at("export", file, HeadWeights.BEGINNING);
    output.write(weights::write);
    return weights.shapes().entrySet().stream()
        .map(array -> array.getKey() + " " + array.getValue())
        .collect(Collectors.joining(", "));
  }

  private String graph(Path model) {
    OnnxExport plain = read(model, net -> OnnxExport.of(net, ModelCard.read(model)));
    OnnxExport export = withPixels ? plain.withPixels() : plain;
    OutputFile output = OutputFile.at("export", file, OnnxExport.BEGINNING);
    try {
      TrainedModel.ask(
          place,
          () -> {
            output.write(export::write);
            return file;
          });
    } catch (UnsupportedOperationException e) {
      throw new UserException(Printable.of(place + ": " + e.getMessage()), e);
    }
    return export.describe();
  }

  /** What is made of a network. */
  private interface Reader<T> {
    T read(ComputationGraph net) throws IOException;
  }

  private static <T> T read(Path model, Reader<T> reader) {
    if (!Files.isRegularFile(model)) {
      throw new UserException(
          model + ": expected the folder of a run with its model.zip, or that file");
    }
    try {
      return reader.read(SafeModels.loadGraph(model));
    } catch (IOException | IllegalArgumentException e) {
      throw new UserException("expected a trained model, got " + e.getMessage(), e);
    }
  }
}
