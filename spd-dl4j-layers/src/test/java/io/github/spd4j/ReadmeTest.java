/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README and the pages of functions, graphs and signals show is what runs. */
@Tag("once")
class ReadmeTest {

  private static final Path ROOT = Path.of(System.getProperty("spd4j.root"));
  private static final int MAX_LINES = 25;

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static String program(String file) throws IOException {
    Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(read(file));
    assertThat(block.find()).as("a java block in " + file).isTrue();
    return block.group(1);
  }

  @Test
  void theProgramIsShort() throws IOException {
    assertThat(program("docs/depending.md").lines().count()).isLessThanOrEqualTo(MAX_LINES);
  }

  @Test
  void theReadmeShowsTheLayersOfTheProgram() throws IOException {
    assertThat(program("docs/depending.md").lines().map(String::strip))
        .containsSequence(program("README.md").lines().map(String::strip).toArray(String[]::new));
  }

  @Test
  void theProgramCompilesRunsAndLearns(@TempDir Path folder) throws Exception {
    compile(folder, "Stripes", program("docs/depending.md"));
    assertThat(Double.parseDouble(outputOf(folder, "Stripes").strip())).isGreaterThan(0.95);
  }

  @Test
  void theFunctionsOfStacksRun(@TempDir Path folder) throws Exception {
    compile(folder, "Stacks", program("docs/functions.md"));
    assertThat(outputOf(folder, "Stacks").lines()).hasSize(10 + 1 + 4);
  }

  @Test
  void theGraphOfSameDiffRuns(@TempDir Path folder) throws Exception {
    compile(folder, "Graph", program("docs/samediff.md"));
    String[] lines = outputOf(folder, "Graph").strip().split("\n");
    assertThat(Double.parseDouble(lines[lines.length - 1])).isLessThan(1e-5);
  }

  @Test
  void theSignalsAreLearnt(@TempDir Path folder) throws Exception {
    compile(folder, "Signals", program("docs/signals.md"));
    assertThat(Double.parseDouble(outputOf(folder, "Signals").strip())).isGreaterThan(0.95);
  }

  private static void compile(Path folder, String name, String program) throws IOException {
    Path source = Files.writeString(folder.resolve(name + ".java"), program);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int status =
        compiler.run(
            null,
            null,
            null,
            "--release",
            "11",
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            folder.toString(),
            source.toString());
    assertThat(status).isZero();
  }

  private static String outputOf(Path folder, String mainClass) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
      String[] noArguments = {};
      loader
          .loadClass(mainClass)
          .getMethod("main", String[].class)
          .invoke(null, (Object) noArguments);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void continuousIntegrationRunsTheTestCommand() throws IOException {
    String script = read(".ci/run");
    String command =
        script.lines().filter(line -> line.startsWith("mvn ")).findFirst().orElseThrow();
    assertThat(read("README.md")).contains("```\n" + command + "\n```");
    assertThat(script.lines().filter(line -> line.contains("mvn "))).hasSize(1);
  }
}
