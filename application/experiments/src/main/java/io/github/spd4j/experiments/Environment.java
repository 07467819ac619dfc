/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ResourceBundle;
import org.nd4j.linalg.factory.Nd4j;

/** What a run was made with, for those who want to repeat it. */
public final class Environment {

  /** The launcher says here which commit it runs. */
  private static final String COMMIT = "spd4j.commit";

  private Environment() {}

  /**
   * Versions, commit, backend and machine.
   *
   * @return what each is, by name
   */
  public static Map<String, String> describe() {
    ResourceBundle versions = ResourceBundle.getBundle("io.github.spd4j.experiments.version");
    Map<String, String> all = new LinkedHashMap<>();
    all.put("library", versions.getString("version"));
    all.put("commit", System.getProperty(COMMIT, "unknown"));
    all.put("dl4j", versions.getString("dl4j"));
    all.put("backend", Nd4j.getBackend().getClass().getSimpleName());
    all.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    all.put(
        "system",
        String.join(
            " ",
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch")));
    all.put("cpu", Hardware.cpu());
    all.put("processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
    all.put("memory", Hardware.memory());
    Hardware.gpu().ifPresent(names -> all.put("gpu", names));
    all.put("blas", Nd4j.getExecutioner().getEnvironmentInformation().getProperty("blas.vendor"));
    return all;
  }
}
