/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import io.github.spd4j.launcher.ApplicationArchitectureTest;

/** The rules of the application hold for the modules that run it on Spark, too. */
@AnalyzeClasses(packages = "io.github.spd4j", importOptions = DoNotIncludeTests.class)
class SparkArchitectureTest {

  @ArchTest static final ArchTests RULES = ArchTests.in(ApplicationArchitectureTest.class);
}
