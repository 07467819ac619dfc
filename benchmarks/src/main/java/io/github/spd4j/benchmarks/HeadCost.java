/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.spd4j.graft.SpdGraft;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;

/**
 * Time and memory of one head, in a process of its own: what another head has left behind would
 * count for it.
 */
final class HeadCost {

  private static final String MARK = "head-cost";
  private static final int PEAK_STEPS = 5;

  @JsonProperty final String head;
  @JsonProperty final long vector;
  @JsonProperty final long parameters;
  @JsonProperty final Sample forward;
  @JsonProperty final Sample step;
  @JsonProperty final long peakBytes;

  private HeadCost(
      String head, long vector, long parameters, Sample forward, Sample step, long peakBytes) {
    this.head = head;
    this.vector = vector;
    this.parameters = parameters;
    this.forward = forward;
    this.step = step;
    this.peakBytes = peakBytes;
  }

  /** Measures a head in a new process. */
  static HeadCost measure(CostedHead head, HeadSize size, int repeats) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), HeadCost.class.getName()));
    command.addAll(List.of(head.name(), size.argument(), String.valueOf(repeats)));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      StringBuilder said = new StringBuilder();
      String result = null;
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith(MARK)) {
            result = line;
          }
          said.append(line).append('\n');
        }
      }
      if (process.waitFor() != 0 || result == null) {
        throw new IllegalStateException(head.title + " could not be measured:\n" + said);
      }
      return parse(head, result);
    } catch (IOException e) {
      throw new IllegalStateException(head.title + " could not be measured", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(head.title + " was interrupted", e);
    }
  }

  private static HeadCost parse(CostedHead head, String line) {
    String[] parts = line.split(" ");
    return new HeadCost(
        head.title,
        Long.parseLong(parts[1]),
        Long.parseLong(parts[2]),
        numbers(parts[3]),
        numbers(parts[4]),
        Long.parseLong(parts[5]));
  }

  private static Sample numbers(String list) {
    String[] parts = list.split(",");
    double[] values = new double[parts.length];
    for (int i = 0; i < parts.length; i++) {
      values[i] = Double.parseDouble(parts[i]);
    }
    return new Sample(values);
  }

  /**
   * The new process.
   *
   * @param args a head, a size and how often to measure
   */
  public static void main(String[] args) {
    CostedHead head = CostedHead.valueOf(args[0]);
    HeadSize size = HeadSize.parse(args[1]);
    HeadSize tiny = new HeadSize(2, 16, 16, 8, 3);
    head.network(tiny, data(tiny)).fit(data(tiny)); // loads the libraries
    DataSet data = data(size);
    ComputationGraph[] net = new ComputationGraph[1];
    OptionalLong peak =
        ResidentSet.peakOf(
            () -> {
              net[0] = head.network(size, data);
              for (int i = 0; i < PEAK_STEPS; i++) {
                net[0].fit(data);
              }
            });
    INDArray maps = data.getFeatures();
    String forward = times(() -> net[0].outputSingle(maps), Integer.parseInt(args[2]));
    String step = times(() -> net[0].fit(data), Integer.parseInt(args[2]));
    long vector = net[0].getParam(SpdGraft.CLASSIFIER + "_W").size(0);
    System.out.println(
        String.join(
            " ",
            MARK,
            String.valueOf(vector),
            String.valueOf(net[0].numParams()),
            forward,
            step,
            String.valueOf(peak.orElse(-1))));
    System.exit(0); // whatever threads the libraries have left
  }

  private static DataSet data(HeadSize size) {
    return new DataSet(HeadWorkload.maps(size), HeadWorkload.labels(size));
  }

  private static String times(Runnable work, int repeats) {
    work.run();
    StringBuilder times = new StringBuilder();
    for (int i = 0; i < repeats; i++) {
      times.append(i == 0 ? "" : ",").append(Duel.milliseconds(work::run));
    }
    return times.toString();
  }
}
