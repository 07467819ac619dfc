/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.layers.LayerCase.Check;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No layer is forgotten. */
class LayerCasesTest {

  private static final Set<String> LAYERS = layers();

  /** The layers of the package that can be built. */
  private static Set<String> layers() {
    Class<?> base = SpdLayer.class;
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files =
        Files.list(Paths.get(base.getResource("SpdLayer.class").toURI()).getParent())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString().replace(".class", "");
        Class<?> each = Class.forName(base.getPackageName() + "." + name);
        boolean isAbstract = Modifier.isAbstract(each.getModifiers());
        if (!isAbstract && each.getEnclosingClass() == null && base.isAssignableFrom(each)) {
          names.add(name);
        }
      }
    } catch (IOException | URISyntaxException | ClassNotFoundException e) {
      throw new AssertionError(e);
    }
    return names;
  }

  @Test
  void everyLayerHasACase() {
    Set<String> withCase = new TreeSet<>();
    LayerCases.all()
        .forEach(each -> each.layers().forEach(l -> withCase.add(l.getClass().getSimpleName())));
    assertThat(withCase).isEqualTo(LAYERS).isNotEmpty();
  }

  /** A case may leave a check out; it says why. */
  @ParameterizedTest
  @EnumSource(Check.class)
  void everyLayerIsCheckedOrSaysWhyNot(Check check) {
    Set<String> known = new TreeSet<>();
    LayerCases.samples(check).forEach(each -> known.add(each.name()));
    LayerCases.heads(check)
        .flatMap(head -> head.layers().stream())
        .filter(layer -> layer instanceof SpdLayer)
        .forEach(layer -> known.add(layer.getClass().getSimpleName()));
    LayerCases.all().stream()
        .filter(each -> !each.reasonToLeaveOut(check).isEmpty())
        .forEach(each -> each.layers().forEach(l -> known.add(l.getClass().getSimpleName())));
    assertThat(known).isEqualTo(LAYERS);
  }
}
