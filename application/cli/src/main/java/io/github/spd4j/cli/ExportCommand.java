/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.UserException;
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
    description = "Writes a trained model as an ONNX file, which runs without this program.")
public final class ExportCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "MODEL", description = "A run's folder or its model.zip.")
  private Path place;

  @Parameters(index = "1", paramLabel = "FILE", description = "The file to write, model.onnx.")
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
    OnnxExport plain = export(model);
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
    PrintWriter out = spec.commandLine().getOut();
    out.println(Printable.of(file + ": " + export.describe()));
    out.flush();
    return 0;
  }

  private static OnnxExport export(Path model) {
    if (!Files.isRegularFile(model)) {
      throw new UserException(
          model + ": expected the folder of a run with its model.zip, or that file");
    }
    try {
      ModelCard card = ModelCard.read(model);
      ComputationGraph net = SafeModels.loadGraph(model);
      return OnnxExport.of(net, card);
    } catch (IOException | IllegalArgumentException e) {
      throw new UserException("expected a trained model, got " + e.getMessage(), e);
    }
  }
}
