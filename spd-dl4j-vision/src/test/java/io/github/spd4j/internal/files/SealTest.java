/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

class SealTest {

  private static final String JSON = "{\n  \"rate\" : 0.1,\n  \"name\" : \"ü\"\n}";

  @Test
  void aSealedObjectIsStillAnObject() throws IOException {
    String sealed = Seal.on(JSON, "run");
    JsonNode node = new ObjectMapper().readTree(sealed);
    assertThat(node.get("rate").asDouble()).isEqualTo(0.1);
    assertThat(node.get("sha256").asText()).hasSize(64);
    assertThat(Seal.isOn(sealed, "run")).isTrue();
    assertThat(Seal.isOn(Seal.on("{}", ""), "")).isTrue();
  }

  @Test
  void aTextWithoutASealHasNone() throws IOException {
    assertThat(Seal.isOn(JSON, "run")).isFalse();
    assertThat(Seal.isOn("", "run")).isFalse();
  }

  @Test
  void everyChangedCharacterIsNoticed() {
    String sealed = Seal.on(JSON, "run");
    for (int i = 0; i < sealed.length(); i++) {
      char other = sealed.charAt(i) == '7' ? '8' : '7';
      String changed = sealed.substring(0, i) + other + sealed.substring(i + 1);
      assertThatThrownBy(() -> Seal.isOn(changed, "run"))
          .as(changed)
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void anothersObjectIsNoticed() {
    assertThatThrownBy(() -> Seal.isOn(Seal.on(JSON, "another run"), "run"))
        .hasMessageContaining("is another's");
  }

  @Test
  void onlyAnObjectTakesASeal() {
    assertThatThrownBy(() -> Seal.on("[1]", "")).isInstanceOf(IllegalArgumentException.class);
  }
}
