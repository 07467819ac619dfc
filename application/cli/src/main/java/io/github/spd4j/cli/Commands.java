/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetException;
import io.github.spd4j.experiments.PicturePaths;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.internal.files.Reason;
import io.github.spd4j.reports.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** How commands end: with an exit code and, if something went wrong, a line on standard error. */
public final class Commands {

  /** The exit code of what the user can put right: arguments, data, the machine. */
  public static final int USER_ERROR = 2;

  /** The exit code of a mistake in the program. */
  public static final int FAILURE = 1;

  private static final String LOST =
      "not all could be printed: expected a disk that is not full, or a reader that takes it all";

  private static final Map<String, String> EXIT_CODES = new LinkedHashMap<>();

  static {
    EXIT_CODES.put("0", "The command did its work.");
    EXIT_CODES.put("1", "A mistake in this program; two lines say how to report it.");
    EXIT_CODES.put("2", "Wrong arguments or data, no memory, space or permission.");
    EXIT_CODES.put("130, 143", "Ended by Ctrl-C or by SIGTERM.");
  }

  private Commands() {}

  /**
   * A command line that ends as all commands do.
   *
   * @param command an object with picocli's annotations
   * @return the command line
   */
  public static CommandLine line(Object command) {
    CommandLine line =
        new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .registerConverter(Path.class, Commands::path)
            .setParameterExceptionHandler(Commands::mistake)
            .setExecutionExceptionHandler((failure, failed, parsed) -> failure(failure, failed))
            .setExecutionStrategy(Commands::run)
            .setHelpFactory(Usage::new);
    line.getCommandSpec().usageMessage().exitCodeListHeading("%nExit codes:%n");
    line.getCommandSpec().usageMessage().exitCodeList(EXIT_CODES);
    return line;
  }

  /** Picocli hands over exceptions alone. */
  private static int run(ParseResult parsed) {
    try {
      if (MethodList.isAsked(last(parsed).getParseResult())) {
        last(parsed).getOut().println(MethodList.all());
        return 0;
      }
      int code = new RunLast().execute(parsed);
      boolean lost = System.out.checkError(); // it says nothing by itself
      return code == 0 && lost ? failure(new UserException(LOST), last(parsed)) : code;
    } catch (Error e) { // no error reaches a user as a stack trace
      return failure(e, last(parsed));
    }
  }

  private static CommandLine last(ParseResult parsed) {
    List<CommandLine> commands = parsed.asCommandLineList();
    return commands.get(commands.size() - 1);
  }

  private static Path path(String word) {
    try {
      return PicturePaths.path(word);
    } catch (UserException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  private static int mistake(ParameterException mistake, String[] args) {
    CommandLine command = mistake.getCommandLine();
    PrintWriter err = command.getErr();
    (mistake.getMessage() + suggestion(mistake)).lines().forEach(line -> Terminal.say(err, line));
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help.");
    err.flush();
    return USER_ERROR;
  }

  /** What a wrong command or option may have meant. */
  private static String suggestion(ParameterException mistake) {
    List<String> names =
        mistake instanceof UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    return names.isEmpty() ? "" : "; did you mean " + names.get(0) + "?";
  }

  /** Says what was left out; the exit code of a command that did the rest. */
  static int endWithout(List<String> unread, CommandLine command) {
    PrintWriter err = command.getErr();
    unread.forEach(line -> err.println(Printable.of("Not read: " + line)));
    err.flush();
    return unread.isEmpty() ? 0 : USER_ERROR;
  }

  private static int failure(Throwable failure, CommandLine command) {
    Optional<String> mistake = mistake(failure);
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    mistake.ifPresentOrElse(
        line -> err.println(Terminal.shown(line)),
        () -> {
          err.println(oneLine(name + " failed, by a mistake in this program: " + failure));
          err.println("Please report it, " + new BugReport(command, failure).written() + ".");
        });
    if (System.getenv("SPD_DEBUG") != null) {
      failure.printStackTrace(err);
    }
    err.flush();
    return mistake.isPresent() ? USER_ERROR : FAILURE;
  }

  /** What the user can put right, if that is it: a line that says what and how. */
  private static Optional<String> mistake(Throwable failure) {
    if (failure instanceof UserException || failure instanceof DataSetException) {
      return Optional.of(oneLine(failure.getMessage()));
    }
    return Stream.of(
            cause(failure, OutOfMemoryError.class).map(Commands::memory),
            causes(failure)
                .map(Throwable::getMessage)
                .filter(Commands::isFullCard)
                .findFirst()
                .map(Commands::cardMemory),
            cause(failure, UnsatisfiedLinkError.class).map(Commands::library),
            cause(failure, IOException.class).map(reason -> line(failure, reason)))
        .flatMap(Optional::stream)
        .findFirst()
        .map(Commands::oneLine);
  }

  private static String memory(OutOfMemoryError error) {
    return "not enough memory (%s); use a smaller --batch or --size, or give it more, as in"
            .formatted(error.getMessage())
        + " SPD_JAVA_OPTIONS='-Xmx4g -Dorg.bytedeco.javacpp.maxbytes=12g"
        + " -Dorg.bytedeco.javacpp.maxphysicalbytes=16g' ./spd ...";
  }

  /** ND4J has no exception of its own for it. */
  private static boolean isFullCard(String message) {
    return message != null && message.contains("cudaMalloc failed");
  }

  private static String cardMemory(String message) {
    return "the memory of the GPU is full (%s); use a smaller --batch or --size, or fewer programs"
            .formatted(message)
        + " on it at a time";
  }

  private static String library(UnsatisfiedLinkError error) {
    return "a native library cannot be loaded (%s); ND4J's natives need Linux, macOS or Windows"
            .formatted(error.getMessage())
        + " on x86-64 or ARM, and a home folder that can be written and executed from";
  }

  /** The first that says something: a copy that a parallel stream throws does not. */
  private static <T extends Throwable> Optional<T> cause(Throwable failure, Class<T> kind) {
    List<T> causes = causes(failure).filter(kind::isInstance).map(kind::cast).toList();
    return causes.stream()
        .filter(error -> error.getMessage() != null)
        .findFirst()
        .or(() -> causes.stream().findFirst());
  }

  private static Stream<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, error -> error != null, Throwable::getCause);
  }

  /** What went wrong, with the file and the system's reason if they are not in it yet. */
  private static String line(Throwable failure, IOException reason) {
    String text = String.valueOf(failure.getMessage());
    boolean isSaid = failure != reason && !text.endsWith(reason.toString()); // by more than Java
    String told = String.valueOf(Reason.of(reason));
    if (reason instanceof FileSystemException of && !(isSaid && text.contains(of.getFile()))) {
      told = of.getFile() + ": " + told;
    }
    return !isSaid ? told : text.contains(told) ? text : text + " (" + told + ")";
  }

  private static String oneLine(String text) {
    return Printable.of(text.replaceAll("\\s*\\R\\s*", " "));
  }
}
