/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelGeometry;
import java.util.stream.Stream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner;
import org.nd4j.linalg.factory.Nd4j;

/** Who may use whom; {@code docs/architecture.md} says why. */
@AnalyzeClasses(
    packages = "io.github.spd4j",
    importOptions = {DoNotIncludeTests.class, ArchitectureTest.DoNotIncludeJarsOfTests.class})
@ArchTag("once")
class ArchitectureTest {

  /** The other modules' tests are in jars, once these are packaged. */
  static final class DoNotIncludeJarsOfTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  private static final String ROOT = "io.github.spd4j.";
  private static final String DL4J_UI = "org.deeplearning4j.ui..";
  private static final String DL4J = "org.deeplearning4j..";

  private static final String[] MACHINERY = {"internal.backend", "internal.backend.host"};

  private static final String OPERATORS = "internal.operators.*";

  @ArchTest static final ArchRule HOST = room("internal.backend.host").mayUse();

  @ArchTest
  static final ArchRule BACKEND = room("internal.backend").mayUse("internal.backend.host");

  @ArchTest static final ArchRule LINALG = room("linalg").mayUse(MACHINERY);

  @ArchTest
  static final ArchRule OPERATORS_ROOMS =
      room(OPERATORS).mayUse("linalg", "internal.backend", "internal.backend.host");

  @ArchTest
  static final ArchRule MANIFOLD =
      room("manifold")
          .mayUse(
              "linalg",
              "internal.backend",
              "internal.operators.orthonormal",
              "internal.operators.charts");

  @ArchTest
  static final ArchRule KERNEL =
      room("kernel").mayUse("linalg", "internal.operators.radial", "internal.backend");

  @ArchTest
  static final ArchRule SAMEDIFF =
      room("samediff").mayUse("kernel", "manifold", "linalg", "internal.backend", OPERATORS);

  @ArchTest
  static final ArchRule STATISTICS = room("statistics").mayUse("linalg", "internal.backend");

  @ArchTest static final ArchRule ENCODING = room("encoding").mayUse("linalg", "internal.backend");

  @ArchTest
  static final ArchRule UPDATER = room("updater").mayUse("linalg", "manifold", "internal.backend");

  @ArchTest static final ArchRule DL4J_WORKAROUNDS = room("internal.dl4j").mayUse();
  @ArchTest static final ArchRule RUNTIME = room("internal.runtime").mayUse("internal.backend");

  @ArchTest
  static final ArchRule LAYERS =
      room("layers")
          .mayUse(
              "internal.runtime",
              OPERATORS,
              "internal.backend",
              "internal.backend.host",
              "linalg",
              "manifold",
              "kernel",
              "encoding",
              "updater");

  @ArchTest
  static final ArchRule GRAFT =
      room("graft")
          .mayUse(
              "backbones",
              "internal.dl4j",
              "internal.files",
              "layers",
              "linalg",
              "kernel",
              "updater",
              "train.plan");

  @ArchTest
  static final ArchRule ONLY_BACKBONES_KNOW_THE_ZOO =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "backbones")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.deeplearning4j.zoo..", "org.deeplearning4j.nn.modelimport..");

  @ArchTest
  static final ArchRule DEVICE_LIBRARY =
      room("internal.acceleration").mayUse("internal.backend", "internal.backend.host");

  @ArchTest
  static final ArchRule ACCELERATION =
      room("acceleration")
          .mayUse(
              "internal.acceleration",
              "internal.dl4j",
              "internal.backend",
              "internal.backend.host");

  @ArchTest
  static final ArchRule INFERENCE =
      room("internal.inference").mayUse("models", "internal.backend.host");

  @ArchTest static final ArchRule FILES = room("internal.files").mayUse();
  @ArchTest static final ArchRule BESIDE_IMAGES = room("internal.images").mayUse();
  @ArchTest static final ArchRule IMAGES = room("images").mayUse("internal.images");
  @ArchTest static final ArchRule ENTRIES = room("internal.models").mayUse("linalg");

  @ArchTest
  static final ArchRule MODELS =
      room("models")
          .mayUse(
              "internal.models",
              "internal.dl4j",
              "internal.backend",
              "linalg",
              "images",
              "statistics");

  @ArchTest static final ArchRule TRAIN_PLAN = room("train.plan").mayUse("updater", "acceleration");

  @ArchTest
  static final ArchRule TRAIN_IMAGES =
      room("train.images").mayUse("images", "internal.files", "internal.images");

  @ArchTest
  static final ArchRule TRAIN_PROGRESS = room("train.progress").mayUse("train.plan", "linalg");

  @ArchTest static final ArchRule TRAIN_ENGINE = room("train.engine").mayUse("train.images");

  @ArchTest
  static final ArchRule ENGINES =
      room("internal.engine")
          .mayUse(
              "acceleration",
              "internal.inference",
              "models",
              "train.engine",
              "backbones",
              "train.plan",
              "train.images",
              "train.progress",
              "internal.dl4j",
              "internal.images",
              "linalg");

  @ArchTest
  static final ArchRule TRAIN_FEATURES =
      room("train.features")
          .mayUse(
              "backbones",
              "models",
              "train.engine",
              "internal.engine",
              "train.images",
              "train.progress",
              "linalg",
              "internal.dl4j",
              "internal.files");

  @ArchTest
  static final ArchRule TRAIN =
      room("train")
          .mayUse(
              "acceleration",
              "train.plan",
              "train.images",
              "train.engine",
              "internal.engine",
              "train.features",
              "train.progress",
              "internal.files",
              "internal.images",
              "internal.models",
              "images",
              "models",
              "internal.dl4j",
              "layers",
              "updater",
              "statistics",
              "encoding",
              "linalg");

  @ArchTest
  static final ArchRule DATASETS =
      room("datasets").mayUse("images", "internal.images", "internal.files", "train.images");

  @ArchTest
  static final ArchRule BACKBONES =
      room("backbones").mayUse("internal.dl4j", "layers", "images", "models", "internal.files");

  @ArchTest
  static final ArchRule PREDICTIONS =
      room("predictions")
          .mayUse(
              "internal.inference",
              "models",
              "images",
              "internal.images",
              "internal.files",
              "internal.engine",
              "acceleration",
              "backbones",
              "graft",
              "layers",
              "linalg",
              "statistics");

  @ArchTest
  static final ArchRule CHECKS = room("checks").mayUse("internal.dl4j", "layers", "kernel");

  @ArchTest static final ArchRule PARALLEL = room("parallel").mayUse("updater", "manifold");

  @ArchTest
  static final ArchRule THE_PARALLEL_WRAPPER_IS_OPTIONAL =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "parallel")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.deeplearning4j.parallelism..");

  @ArchTest
  static final ArchRule LISTENERS =
      room("listeners").mayUse("internal.dl4j", "layers", "kernel", "manifold", "linalg");

  @ArchTest static final ArchRule LISTENERS_UI = room("listeners.ui").mayUse("listeners");

  @ArchTest
  static final ArchRule THE_USER_INTERFACE_IS_OPTIONAL =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "listeners.ui")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(DL4J_UI, "io.vertx..", "freemarker..", ROOT + "listeners.ui");

  @ArchTest
  static final ArchRule RUNTIME_IS_NOT_API =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + "layers", ROOT + "internal.runtime")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + "internal.runtime");

  @ArchTest
  static final ArchRule MATHEMATICS_KNOWS_NO_NETWORKS =
      noClasses()
          .that()
          .resideInAnyPackage(
              ROOT + "internal.backend..",
              ROOT + "linalg",
              ROOT + "internal.operators..",
              ROOT + "statistics",
              ROOT + "manifold",
              ROOT + "kernel",
              ROOT + "samediff",
              ROOT + "encoding")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(DL4J);

  @ArchTest
  static final ArchRule WHAT_IS_INTERNAL_DOES_NOT_LEAK =
      classes().that().resideOutsideOfPackage("..internal..").should(new ShowsNothingInternal());

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching(ROOT + "(**)").should().beFreeOfCycles();

  @ArchTest static final ArchRule NO_STANDARD_STREAMS = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

  /**
   * Whoever is made by DL4J or called by users asks once which backend computes, and hands it on.
   */
  @ArchTest
  static final ArchRule ONLY_BORDERS_ASK_FOR_THE_BACKEND =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "linalg")
          .and(not(belongToAnyOf(SpdLayer.class, SpdOutputLayer.class)))
          .and(not(belongToAnyOf(StiefelGeometry.class, Retraction.class)))
          .and(not(belongToAnyOf(Acceleration.class)))
          .should()
          .callMethod(Backend.class, "current");

  /** What computes was given a backend, or takes that of the pass. */
  @ArchTest
  static final ArchRule ONLY_BACKENDS_ASK_FOR_THE_DEVICE =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + "internal.backend..", ROOT + "acceleration", ROOT + "internal.cuda")
          .should()
          .callMethod(OpExecutioner.class, "type");

  @ArchTest
  static final ArchRule NO_GLOBAL_DATA_TYPE =
      noClasses()
          .should()
          .callMethod(Nd4j.class, "setDefaultDataTypes", DataType.class, DataType.class)
          .orShould()
          .callMethod(Nd4j.class, "setDataType", DataType.class);

  private static Room room(String name) {
    return new Room(name);
  }

  /** A package and what it may use of the others. */
  private static final class Room {
    private final String name;

    Room(String name) {
      this.name = name;
    }

    ArchRule mayUse(String... others) {
      String[] allowed =
          Stream.concat(Stream.of(name), Stream.of(others))
              .map(room -> ROOT + room)
              .toArray(String[]::new);
      return noClasses()
          .that(resideInAPackage(ROOT + name))
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.github.spd4j..").and(not(resideInAnyPackage(allowed))));
    }
  }
}
