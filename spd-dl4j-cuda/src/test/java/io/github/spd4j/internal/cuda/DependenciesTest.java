/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What of the library this module uses: what is there for a device, and nothing else. */
@Tag("once")
class DependenciesTest {

  private static final String ROOT = "io.github.spd4j.internal.";

  @Test
  void onlyWhatIsThereForADevice() throws URISyntaxException {
    Path classes =
        Path.of(CudaAlgebra.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    StringWriter found = new StringWriter();
    PrintWriter out = new PrintWriter(found);
    int code =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(out, out, "-verbose:package", "-regex", "io\\.github\\..*", classes.toString());
    assertThat(code).as("%s", found).isZero();
    assertThat(Pattern.compile("(\\S+) +-> (io\\S+)").matcher(found.toString()).results())
        .extracting((MatchResult arrow) -> arrow.group(1) + " -> " + arrow.group(2))
        .containsExactlyInAnyOrder(
            ROOT + "cuda -> " + ROOT + "acceleration",
            ROOT + "cuda -> " + ROOT + "backend",
            ROOT + "cuda -> " + ROOT + "backend.host");
  }
}
