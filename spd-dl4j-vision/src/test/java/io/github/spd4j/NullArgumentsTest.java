/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import io.github.spd4j.testing.NullArguments;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** All rooms of the library but those of ONNX and Spark. */
class NullArgumentsTest {

  @TempDir static Path folder;

  @TestFactory
  Stream<DynamicTest> nullIsRefusedByName() {
    return NullArguments.areRefusedByName(folder, "io.github.spd4j");
  }
}
