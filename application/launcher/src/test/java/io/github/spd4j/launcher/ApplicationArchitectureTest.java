/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.launcher;

import static com.tngtech.archunit.base.DescribedPredicate.anyElementThat;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Which room of the application may use which, and those of {@code spd-dl4j-onnx} and {@code
 * spd-dl4j-spark}; the library's other rooms have a test there. The module for Spark applies the
 * same rules to its own class path.
 */
@AnalyzeClasses(
    packages = "io.github.spd4j",
    importOptions = {
      DoNotIncludeTests.class,
      ApplicationArchitectureTest.DoNotIncludeJarsOfTests.class
    })
public class ApplicationArchitectureTest {

  /** The other modules' tests are in jars, once these are packaged. */
  static final class DoNotIncludeJarsOfTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  private static final String ROOT = "io.github.spd4j.";

  /** For each room the other rooms of the application that it may use. */
  private static final Map<String, List<String>> ROOMS =
      Map.ofEntries(
          Map.entry("textures", List.of()),
          Map.entry("reports", List.of()),
          Map.entry("experiments", List.of("reports")),
          Map.entry("tables", List.of("reports", "experiments")),
          Map.entry("quickstart", List.of("textures", "reports", "experiments")),
          Map.entry("cli", List.of("reports", "experiments", "tables", "quickstart")),
          Map.entry("serve", List.of("experiments", "cli")),
          Map.entry("benchmarks", List.of("reports", "experiments", "cli")));

  /** For each room of modules that need other libraries what it may use of the library. */
  private static final Map<String, List<String>> OPTIONAL_ROOMS =
      Map.of(
          "onnx",
          List.of("internal.onnx", "internal.files", "backbones", "images", "models", "statistics"),
          "internal.onnx",
          List.of(
              "internal.backend",
              "internal.backend.host",
              "internal.dl4j",
              "internal.files",
              "internal.inference",
              "internal.models",
              "acceleration",
              "images",
              "layers",
              "linalg",
              "models",
              "statistics"),
          "spark",
          List.of(
              "internal.spark",
              "internal.engine",
              "train.engine",
              "train.features",
              "train.images",
              "train.progress",
              "acceleration",
              "linalg",
              "parallel"),
          "internal.spark",
          List.of("acceleration"));

  @ArchTest
  static void anOptionalRoomUsesOnlyWhatItMay(JavaClasses classes) {
    OPTIONAL_ROOMS.forEach(
        (room, others) ->
            noClasses()
                .that()
                .resideInAPackage(ROOT + room)
                .should()
                .dependOnClassesThat(
                    resideInAPackage(ROOT + ".")
                        .and(not(resideInAPackage(ROOT + room)))
                        .and(
                            not(
                                resideInAnyPackage(
                                    others.stream().map(ROOT::concat).toArray(String[]::new)))))
                .allowEmptyShould(true) // Spark has a class path of its own
                .check(classes));
  }

  @ArchTest
  static final ArchRule WHAT_IS_INTERNAL_DOES_NOT_LEAK =
      noCodeUnits()
          .that()
          .areDeclaredInClassesThat(
              resideInAnyPackage(ROOT + "onnx", ROOT + "spark").and(modifier(PUBLIC)))
          .and()
          .arePublic()
          .should()
          .haveRawReturnType(resideInAPackage(ROOT + "internal.."))
          .orShould()
          .haveRawParameterTypes(anyElementThat(resideInAPackage(ROOT + "internal..")));

  @ArchTest
  static final ArchRule ONLY_INTERNAL_ONNX_KNOWS_ONNX_RUNTIME =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "internal.onnx")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("ai.onnx..", "ai.onnxruntime..", "com.google.protobuf..");

  @ArchTest
  static void aRoomUsesOnlyWhatItMay(JavaClasses classes) {
    ROOMS.forEach(
        (room, others) ->
            noClasses()
                .that()
                .resideInAPackage(ROOT + room + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages(r -> !r.equals(room) && !others.contains(r)))
                .check(classes));
  }

  @ArchTest
  static final ArchRule THE_LIBRARY_KNOWS_NO_APPLICATION =
      noClasses()
          .that()
          .resideOutsideOfPackages(packages(room -> true))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(packages(room -> true));

  private static String[] packages(Predicate<String> which) {
    return ROOMS.keySet().stream()
        .filter(which)
        .map(room -> ROOT + room + "..")
        .toArray(String[]::new);
  }

  @ArchTest
  static final ArchRule ONLY_COMMANDS_PARSE_OPTIONS =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + "cli", ROOT + "serve", ROOT + "benchmarks")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("picocli..", "me.tongfei.progressbar..");

  @ArchTest
  static final ArchRule ONLY_THE_SERVICE_KNOWS_ITS_SERVER =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "serve")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.undertow..", "org.xnio..", "io.prometheus..");

  @ArchTest
  static final ArchRule ONLY_COMMANDS_WRITE_TO_THE_TERMINAL =
      noClasses()
          .that()
          .resideInAnyPackage(packages(room -> true))
          .and()
          .resideOutsideOfPackages(ROOT + "cli", ROOT + "benchmarks")
          .should(ACCESS_STANDARD_STREAMS);

  /** A server may lack the native libraries for fonts; browsers have their own. */
  @ArchTest
  static final ArchRule NOTHING_DRAWS_TEXT =
      noClasses()
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.awt.Font")
          .orShould()
          .dependOnClassesThat()
          .resideInAnyPackage("java.awt.font..", "javax.swing..", "org.knowm..")
          .orShould()
          .callMethodWhere(
              target(nameMatching("draw(String|GlyphVector|Chars|Bytes)|[gs]etFont.*")));

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching(ROOT + "(**)").should().beFreeOfCycles();
}
