/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.github.spd4j.layers.LayerCase.Check;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No layer is forgotten. */
class LayerCasesTest {

  private static Set<String> layers() {
    Set<String> names = new TreeSet<>();
    for (JavaClass each : new ClassFileImporter().importPackagesOf(SpdLayer.class)) {
      boolean concrete = !each.getModifiers().contains(JavaModifier.ABSTRACT);
      if (concrete && each.isAssignableTo(SpdLayer.class)) {
        names.add(each.getSimpleName());
      }
    }
    return names;
  }

  @Test
  void everyLayerHasACase() {
    Set<String> withCase = new TreeSet<>();
    LayerCases.all()
        .forEach(each -> each.layers().forEach(l -> withCase.add(l.getClass().getSimpleName())));
    assertThat(withCase).isEqualTo(layers()).isNotEmpty();
  }

  /** A case may leave a check out; it says why. */
  @ParameterizedTest
  @EnumSource(Check.class)
  void everyLayerIsCheckedOrSaysWhyNot(Check check) {
    Set<String> known = new TreeSet<>();
    LayerCases.samples(check).forEach(s -> known.add(s.layer().getClass().getSimpleName()));
    LayerCases.all().stream()
        .filter(each -> !each.reasonToLeaveOut(check).isEmpty())
        .forEach(each -> each.layers().forEach(l -> known.add(l.getClass().getSimpleName())));
    assertThat(known).isEqualTo(layers());
  }
}
