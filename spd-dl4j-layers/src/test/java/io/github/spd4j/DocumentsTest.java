/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documents name is there: files, headings, folders, classes. */
@Tag("once")
class DocumentsTest {

  private static final Path ROOT = Path.of(System.getProperty("spd4j.root"));
  private static final int WIDTH = 120;
  private static final int README_LINES = 100;

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```$");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern CLASS = Pattern.compile("(?<![\\w@:/.…-])[A-Z][a-z]\\w+");
  private static final Pattern MEMBER =
      Pattern.compile("(?<![\\w@:/.…-])([A-Z][a-z]\\w+)\\.(\\w+)");
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w*)");

  /** Classes of other libraries, and what else looks like a class. */
  private static final Set<String> FOREIGN =
      Set.of(
          "AdaGrad",
          "AdaMax",
          "Adam",
          "ArithmeticException",
          "BatchNormalization",
          "BiMap",
          "ComputationGraph",
          "Convolution1DLayer",
          "CovpoolLayer",
          "DataSet",
          "DataSetIterator",
          "DataType",
          "DropoutLayer",
          "ElementWiseVertex",
          "False",
          "FeedForwardLayer",
          "Fouriertransform",
          "GlobalPoolingLayer",
          "GradientCheckUtil",
          "ImageRecordReader",
          "ImageTransform",
          "InputSplit",
          "InputType",
          "LayerConstraint",
          "LogEig",
          "ModelGuesser",
          "ModelSerializer",
          "MultiLayerNetwork",
          "NativeImageLoader",
          "Nd4j",
          "Nesterovs",
          "Newmodel",
          "NoOp",
          "ParallelInference",
          "ParallelWrapper",
          "PathLabelGenerator",
          "RandomCropTransform",
          "RecordReader",
          "RecordReaderDataSetIterator",
          "Regularization",
          "RiemannianAdam",
          "RiemannianSGD",
          "RmsProp",
          "SameDiffLayer",
          "Serializable",
          "Sgd",
          "SharedTrainingMaster",
          "SqrtmLayer",
          "SymmetricPositiveDefinite",
          "TransferLearning",
          "TriuvecLayer",
          "True",
          "VmHWM");

  /** The text of the sources that declare a type, by its name. */
  private static final Map<String, String> types = new TreeMap<>();

  private static final Set<Path> packages = new TreeSet<>();

  @BeforeAll
  static void readSources() throws IOException {
    for (Path source : files(ROOT, ".java")) {
      String text = Files.readString(source);
      TYPE.matcher(text)
          .results()
          .forEach(found -> types.merge(found.group(1), text, String::concat));
      if (source.endsWith("package-info.java")) {
        packages.add(source.getParent());
      }
    }
  }

  /** Files by their ending, without what a build leaves and without hidden folders. */
  private static List<Path> files(Path folder, String ending) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
            String name = path.getFileName().toString();
            boolean skipped = name.equals("target") || name.startsWith(".");
            return skipped && !path.equals(folder)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
            if (path.toString().endsWith(ending)) {
              found.add(path);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  static Stream<Path> documents() throws IOException {
    return Stream.concat(
            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md").map(Path::of),
            Stream.concat(
                    files(ROOT.resolve("docs"), ".md").stream(),
                    files(ROOT.resolve("examples"), ".md").stream())
                .map(ROOT::relativize))
        .sorted();
  }

  /** Pages that describe the code as it is; the change log may name what is gone. */
  static Stream<Path> pages() throws IOException {
    return documents().filter(path -> !path.endsWith("CHANGELOG.md"));
  }

  private static String text(Path document) {
    try {
      return Files.readString(ROOT.resolve(document));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String prose(Path document) {
    return FENCE.matcher(text(document)).replaceAll("");
  }

  @ParameterizedTest
  @MethodSource("documents")
  void linksLeadSomewhere(Path document) {
    assertThat(
            LINK.matcher(prose(document))
                .results()
                .map(link -> link.group(1))
                .filter(target -> !target.startsWith("http") && !leads(document, target)))
        .as("links of %s without a file or heading", document)
        .isEmpty();
  }

  private static boolean leads(Path document, String target) {
    String[] parts = target.split("#", 2);
    Path file =
        parts[0].isEmpty()
            ? document
            : ROOT.relativize(ROOT.resolve(document).resolveSibling(parts[0]).normalize());
    return Files.exists(ROOT.resolve(file))
        && (parts.length == 1 || anchors(file).contains(parts[1]));
  }

  /** Headings as GitHub makes anchors of them. */
  private static Set<String> anchors(Path document) {
    return HEADING
        .matcher(prose(document))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static Stream<String> code(Path document) {
    return CODE.matcher(prose(document)).results().map(span -> span.group(1));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void classesAreThere(Path page) {
    assertThat(
            code(page)
                .flatMap(span -> CLASS.matcher(span).results().map(MatchResult::group))
                .filter(name -> !types.containsKey(name) && !FOREIGN.contains(name))
                .distinct())
        .as("classes that %s names and no source declares", page)
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void membersAreThere(Path page) {
    assertThat(
            code(page)
                .flatMap(span -> MEMBER.matcher(span).results())
                .filter(member -> types.containsKey(member.group(1)))
                .filter(member -> !names(member.group(1), member.group(2)))
                .map(MatchResult::group))
        .as("members that %s names and their class lacks", page)
        .isEmpty();
  }

  /** Whether a class, or one that it extends, names a member. */
  private static boolean names(String type, String word) {
    String source = types.getOrDefault(type, "");
    return Pattern.compile("\\b" + word + "\\b").matcher(source).find()
        || Pattern.compile("class " + type + "\\b[^{;]* extends (\\w+)")
            .matcher(source)
            .results()
            .map(above -> above.group(1))
            .anyMatch(above -> !above.equals(type) && names(above, word));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void foldersAndFilesAreThere(Path page) throws IOException {
    Set<String> tops;
    try (Stream<Path> top = Files.list(ROOT)) {
      tops =
          top.filter(Files::isDirectory)
              .map(path -> path.getFileName() + "/")
              .collect(Collectors.toSet());
    }
    assertThat(
            code(page)
                .map(span -> span.split(" ")[0])
                .filter(span -> tops.stream().anyMatch(span::startsWith))
                .filter(span -> !span.contains("target/"))
                .filter(span -> !Files.exists(ROOT.resolve(span))))
        .as("paths that %s names", page)
        .isEmpty();
  }

  @Test
  void everyRoomHasAPlaceInTheArchitecture() {
    String text = text(Path.of("docs/architecture.md"));
    assertThat(
            packages.stream()
                .filter(path -> path.toString().contains("src/main/java"))
                .map(path -> path.toString().replace('\\', '/'))
                .map(path -> path.replaceAll(".*/io/github/spd4j/", "").replace('/', '.'))
                .filter(room -> !text.contains("`" + room + "`")))
        .as("packages without a row")
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("documents")
  void linesAreShort(Path document) {
    assertThat(
            text(document)
                .lines()
                .filter(line -> line.length() > WIDTH)
                .filter(line -> !line.startsWith("|") && !line.startsWith("!["))
                .filter(line -> !line.contains("$"))) // a formula
        .as("long lines of %s", document)
        .isEmpty();
  }

  @Test
  void thePageOnOwnImagesShowsLinesOfTheExample() {
    String example = types.get("OwnImages");
    assertThat(
            Pattern.compile("(?ms)^```java\n(.*?)^```")
                .matcher(text(Path.of("docs/own-images.md")))
                .results()
                .flatMap(block -> block.group(1).lines())
                .filter(line -> !example.contains(line.strip())))
        .as("lines that the example lacks")
        .isEmpty();
  }

  /** Long tables are written by a script, so that no figure is copied by hand. */
  @Test
  void theAppendixIsWhatTheScriptWrites() throws Exception {
    String script = "benchmarks/appendix.py";
    ProcessBuilder check =
        new ProcessBuilder("python3", script, "--check").directory(ROOT.toFile());
    Process process = null;
    try {
      process = check.redirectErrorStream(true).start();
    } catch (IOException e) {
      abort("there is no Python on this machine");
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  @Test
  void theReadmeIsShort() {
    assertThat(text(Path.of("README.md")).lines().count()).isLessThanOrEqualTo(README_LINES);
  }
}
