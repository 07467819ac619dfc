/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionTest {

  private static final List<String> METHODS =
      Arrays.stream(Method.values()).map(Method::key).toList();

  @Test
  void theMostSimilarNameIsSuggested() {
    assertThat(Suggestion.of("spd-rot", METHODS)).isEqualTo("; did you mean spd-root?");
    assertThat(Suggestion.of("SPD_ROOT", METHODS)).isEqualTo("; did you mean spd-root?");
    assertThat(Suggestion.of("bcnn", METHODS)).isEqualTo("; did you mean b-cnn?");
    assertThat(Suggestion.of("compact", METHODS)).isEqualTo("; did you mean compact-bilinear?");
  }

  @Test
  void whatIsLikeNothingIsNotGuessed() {
    assertThat(Suggestion.of("best", METHODS)).isEmpty();
    assertThat(Suggestion.of("", METHODS)).isEmpty();
  }
}
