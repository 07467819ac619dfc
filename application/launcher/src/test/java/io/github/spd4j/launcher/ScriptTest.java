/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How {@code ./spd} ends before there is a command to run, and that {@code spd.cmd} is its twin.
 */
@Timeout(60)
class ScriptTest {

  @TempDir Path folder;

  @BeforeEach
  void copyScript() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/env")), "needs a Unix shell");
    Path root = Path.of(System.getProperty("spd4j.root"));
    Files.createDirectories(folder.resolve("config"));
    for (String name : new String[] {"spd", "config/environment.sh"}) {
      Files.copy(root.resolve(name), folder.resolve(name));
    }
  }

  /** Runs it with a program in Maven's place. */
  private Process start(String maven) throws IOException {
    program("mvn", maven);
    return spd("table");
  }

  private void program(String name, String code) throws IOException {
    Path program = Files.createDirectories(folder.resolve("bin")).resolve(name);
    Files.writeString(program, "#!/bin/sh\n" + code + "\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  private Process spd(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(folder.resolve("spd").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JAVA_HOME");
    builder.environment().merge("PATH", "", (path, none) -> folder.resolve("bin") + ":" + path);
    return builder.redirectErrorStream(true).redirectOutput(output()).start();
  }

  /** What Maven and Java were asked for; Maven's programs leave a class path. */
  private String asked(String... arguments) throws Exception {
    program(
        "mvn",
        """
        echo mvn "$@"
        target=target
        list=classpath.txt
        for argument in "$@"; do
          case "$argument" in
            -Dbuild.folder=*) target="${argument#*=}" ;;
            -Dclasspath.file=*) list="${argument#*=}" ;;
          esac
        done
        mkdir -p "application/launcher/$target"
        echo jars > "application/launcher/$target/$list"
        """);
    program("java", "echo java \"$@\"");
    spd(arguments).waitFor();
    return Files.readString(output().toPath());
  }

  private File output() {
    return folder.resolve("output.txt").toFile();
  }

  @Test
  void aBuildThatFailsIsForTheUserToPutRight() throws Exception {
    assertThat(start("echo no network; exit 1").waitFor()).isEqualTo(2);
    assertThat(output()).content().contains("no network", "The build failed", "JDK 17");
  }

  @Test
  void aBuildEndsWithASignal() throws Exception {
    Path begun = folder.resolve("begun");
    Process process = start("touch " + begun + "; exec sleep 600");
    while (!Files.exists(begun)) {
      assertThat(process.isAlive()).isTrue();
      TimeUnit.MILLISECONDS.sleep(10);
    }
    process.destroy();
    assertThat(process.waitFor()).isEqualTo(128 + 15);
  }

  /** Each has its own class path, so that the next start with the same options builds nothing. */
  @Test
  void aGpuAndMklAreThereForThoseWhoAskForThem() throws Exception {
    assertThat(asked("table")).contains("Building").doesNotContain("-P", "--gpu");
    program("nvidia-smi", "echo 9.0");
    assertThat(asked("--gpu", "table"))
        .contains("-Pcuda-hopper -Dbuild.folder=target/cuda-hopper ")
        .contains("launcher/target/cuda-hopper/classes:jars io.github.spd4j.cli.Main --gpu table");
    program("nvidia-smi", "echo 8.6; echo 8.6");
    assertThat(asked("table", "--gpu"))
        .contains("-Pcuda -Dbuild.folder=target/cuda ")
        .contains("launcher/target/cuda/classes:jars");
    for (String[] blas : new String[][] {{"--blas", "mkl"}, {"--blas=mkl"}}) {
      assertThat(asked(blas)).contains("launcher/target/classes:jars");
    }
    assertThat(folder.resolve("application/launcher/target/classpath-mkl.txt")).exists();
    for (String[] again : new String[][] {{"table"}, {"--gpu"}, {"--blas", "mkl"}, {"mkl"}}) {
      assertThat(asked(again)).startsWith("java ");
    }
  }

  @Test
  void aGpuThatIsNotThereIsRefused() throws Exception {
    program("nvidia-smi", "echo NVIDIA-SMI has failed; exit 9");
    assertThat(asked("table", "--gpu"))
        .isEqualTo(
            "--gpu needs an NVIDIA card and its driver: nvidia-smi names no card; leave --gpu out\n");
    assertThat(asked("table", "--gpu", "--spark"))
        .isEqualTo("--gpu does not go with --spark; leave one out\n");
  }

  @Test
  void aMissingJavaIsNamed() throws Exception {
    Path classpath = folder.resolve("application/launcher/target/classpath.txt");
    Files.createDirectories(classpath.getParent());
    Files.writeString(classpath, "nothing");
    ProcessBuilder builder = new ProcessBuilder(folder.resolve("spd").toString(), "table");
    builder.environment().put("JAVA_HOME", folder.resolve("nowhere").toString());
    Process process = builder.redirectErrorStream(true).redirectOutput(output()).start();
    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(output()).content().hasLineCount(1).contains("nowhere/bin/java");
  }

  /**
   * Options, variables, classes, packages and sentences: what a change of one may forget in the
   * other.
   */
  private static final Pattern NAMES =
      Pattern.compile(
          "(?<![\\w-])-(?:D[\\w.]+(?:=\\w+)?|X\\w+|q|B|ntp|pl|am|cp)\\b"
              + "|\\b[A-Z]+(?:_[A-Z]+)+\\b"
              + "|--[a-z-]+"
              + "|\\b(?:io\\.github|java|sun)(?:\\.[\\w]+)+"
              + "|(?:Building|The build|spd needs)[^\"\n>;^($%]*");

  private static Set<String> names(String... files) throws IOException {
    Path root = Path.of(System.getProperty("spd4j.root"));
    Set<String> found = new TreeSet<>();
    for (String file : files) {
      String code =
          Files.readString(root.resolve(file))
              .lines()
              .filter(line -> !line.startsWith("#") && !line.startsWith("rem "))
              .collect(Collectors.joining("\n"));
      NAMES.matcher(code).results().map(MatchResult::group).map(String::strip).forEach(found::add);
    }
    return found;
  }

  @Test
  void windowsHasTheSameOptionsVariablesAndSentences() throws IOException {
    Set<String> unix = names("spd", "config/environment.sh");
    assertThat(unix)
        .contains("-Xmx2g", "OMP_WAIT_POLICY", "sun.nio.cs", "io.github.spd4j.cli.Main");
    // natives with oneDNN and glibc are for Linux alone; Windows has names of files in Unicode,
    // and MKL in PyTorch; ours is for Linux
    unix.removeAll(
        Set.of(
            "-Dorg.bytedeco.javacpp.platform.extension",
            "BASH_SOURCE",
            "--blas",
            "-Dclasspath.file",
            "LC_ALL",
            "LC_CTYPE",
            "MALLOC_ARENA_MAX",
            "MALLOC_MMAP_MAX_",
            "MALLOC_TRIM_THRESHOLD_",
            "SPD_TORCH_CORETYPE"));
    Set<String> windows = names("spd.cmd");
    windows.removeAll(Set.of("NUMBER_OF_PROCESSORS", "java.exe"));
    assertThat(windows).isEqualTo(unix);
  }
}
