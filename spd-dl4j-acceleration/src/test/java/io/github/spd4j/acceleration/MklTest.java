/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.factory.Nd4j;

class MklTest {

  private final String before = System.getProperty(Mkl.PROPERTY);

  @TempDir Path folder;

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(Mkl.PROPERTY);
    } else {
      System.setProperty(Mkl.PROPERTY, before);
    }
  }

  @Test
  void loadsOpenMpFirstAndNamesItselfToJavaCpp() throws IOException {
    List<String> loaded = new ArrayList<>();
    Mkl.load(library(), Set.of("jnijavacpp"), loaded::add);
    assertThat(loaded).singleElement().asString().endsWith("libiomp5.so");
    assertThat(System.getProperty(Mkl.PROPERTY)).isEqualTo("mkl");
  }

  /** ND4J's own names, so that a new version that changes them is noticed. */
  @Test
  void refusesToComeTooLate() throws IOException {
    Nd4j.create(1);
    URL library = library();
    Set<String> loaded = Loader.getLoadedLibraries().keySet();
    List<String> asked = new ArrayList<>();
    assertThatThrownBy(() -> Mkl.load(library, loaded, asked::add))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("call it first of all");
    assertThat(asked).isEmpty();
    assertThat(System.getProperty(Mkl.PROPERTY)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jnind4jcpu", "jniopenblas", "jniopenblas_nolapack"})
  void oneLibraryIsTooLateAsWell(String name) throws IOException {
    URL library = library();
    List<String> asked = new ArrayList<>();
    assertThatThrownBy(() -> Mkl.load(library, Set.of("jnijavacpp", name), asked::add))
        .isInstanceOf(IllegalStateException.class);
    assertThat(asked).isEmpty();
    assertThat(System.getProperty(Mkl.PROPERTY)).isEqualTo(before);
  }

  private URL library() throws IOException {
    return Files.createFile(folder.resolve("libiomp5.so")).toUri().toURL();
  }
}
