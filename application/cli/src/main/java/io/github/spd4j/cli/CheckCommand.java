/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.experiments.FolderCheck;
import io.github.spd4j.experiments.FolderCheck.Finding;
import io.github.spd4j.experiments.FolderCheck.Kind;
import io.github.spd4j.experiments.LabelCheck;
import io.github.spd4j.experiments.Pace;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.reports.OutputFile;
import io.github.spd4j.reports.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.apache.commons.csv.CSVFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd check}. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Says what is wrong with a folder of pictures, before you train with it.",
      "It looks for unreadable files, pictures that are there twice, small ones,",
      "unusual colours, unequal classes."
    })
public final class CheckCommand implements Callable<Integer> {

  /** Of each kind; the file has all. */
  private static final int MOST_LINES = 10;

  private static final String PAGE = "labels.html";
  private static final String TABLE = "labels.csv";
  private static final String CSV_BEGINNING = "problem,picture,";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FOLDER", description = "The folder with the class folders.")
  private Path pictures;

  @Option(names = "--nested", description = "Take pictures in folders below the class folders too.")
  private boolean nested;

  @Option(
      names = "--labels",
      paramLabel = "RUN",
      description =
          "After a training: which labels may be wrong, by what its network makes of the pictures."
              + " Needs --out.")
  private Path run;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      description = "Where labels.html, with pictures, and labels.csv of --labels go.")
  private Path out;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Write all that is found to this file, a line for each.")
  private Path csv;

  /** For picocli. */
  public CheckCommand() {}

  @Override
  public Integer call() throws IOException {
    if ((run == null) != (out == null) || run != null && csv != null) {
      throw new UserException("--labels RUN and --out FOLDER need one another, without --csv");
    }
    Optional<OutputFile> file =
        Optional.ofNullable(csv).map(path -> OutputFile.at("--csv", path, CSV_BEGINNING));
    DataSetKind kind = nested ? DataSetKind.FOLDERS_NESTED : DataSetKind.FOLDERS;
    if (run != null) {
      labels(kind);
      return 0;
    }
    ImageDataSet set = kind.read(pictures);
    FolderCheck check = FolderCheck.of(kind, set, reading(set));
    PrintWriter lines = spec.commandLine().getOut();
    for (Kind problem : Kind.values()) {
      List<Finding> found =
          check.findings().stream().filter(finding -> finding.kind() == problem).toList();
      if (!found.isEmpty()) {
        Terminal.say(lines, found.size() + " × " + problem.words());
        found.stream().limit(MOST_LINES).forEach(finding -> lines.println("  " + line(finding)));
        if (found.size() > MOST_LINES) {
          lines.printf("  and %d more; --csv FILE has all%n", found.size() - MOST_LINES);
        }
      }
    }
    lines.printf(
        "%d pictures of %d classes: %s%n",
        check.images(),
        check.classes(),
        check.findings().isEmpty() ? "nothing found" : check.findings().size() + " found");
    lines.flush();
    file.ifPresent(place -> place.write(csv(check.findings())));
    return check.hasErrors() ? Commands.USER_ERROR : 0;
  }

  /** Says how long it takes to read all pictures. */
  private IntConsumer reading(ImageDataSet set) {
    Pace pace = new Pace("pictures");
    PrintWriter err = spec.commandLine().getErr();
    return done ->
        pace.step(done, set.images().size()).ifPresent(far -> Terminal.say(err, "read: " + far));
  }

  private void labels(DataSetKind kind) throws IOException {
    Path model = TrainedModel.file(run);
    if (!Files.isRegularFile(model)) {
      throw new UserException("--labels needs the folder of a finished run, got " + run);
    }
    ImageDataSet all = kind.read(pictures);
    ImageDataSet sound = ImageCheck.of(all, reading(all)).sound();
    OwnFolder own = OwnFolder.claim("--out", out);
    try (Progress progress = Terminal.progress("labels")) {
      LabelCheck labels = TrainedModel.ask(run, () -> labels(model, sound, progress));
      own.own(PAGE, TABLE);
      AtomicFile.write(own.path().resolve(PAGE), labels.html());
      AtomicFile.write(own.path().resolve(TABLE), labels.csv());
      PrintWriter writer = spec.commandLine().getOut();
      Terminal.say(
          writer,
          "%d of %d labels are doubtful, the likeliest wrong ones first: %s"
              .formatted(labels.size(), sound.images().size(), own.path().resolve(PAGE)));
    }
  }

  private static LabelCheck labels(Path model, ImageDataSet set, Progress progress) {
    try {
      return LabelCheck.of(model, set, progress);
    } catch (IOException e) {
      throw new UserException("expected a trained model, got " + e.getMessage(), e);
    }
  }

  private static String line(Finding finding) {
    String detail = finding.detail().isEmpty() ? "" : "  " + finding.detail();
    return Printable.of(finding.place() + detail);
  }

  private static String csv(List<Finding> findings) {
    CSVFormat format = CSVFormat.RFC4180;
    return CSV_BEGINNING
        + "detail\n"
        + findings.stream()
            .map(
                finding ->
                    format.format(
                            finding.kind().name().toLowerCase(Locale.ROOT),
                            Printable.of(finding.place()),
                            Printable.of(finding.detail()))
                        + "\n")
            .collect(Collectors.joining());
  }
}
