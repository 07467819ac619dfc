/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.acceleration.Mkl;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.layers.KernelAggregationLayer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;

/**
 * Time and memory of one head, in a process of its own: what another head has left behind would
 * count for it.
 *
 * @param method its key
 * @param head its name for people
 * @param isMatrix whether it makes an SPD matrix of the feature maps
 * @param vector the length of what the classifier is given
 * @param peakBytes −1 where the system does not tell
 */
record HeadCost(
    String method,
    String head,
    boolean isMatrix,
    long vector,
    long parameters,
    Sample forward,
    Sample step,
    long peakBytes) {

  /** How the line with the result begins, among all that libraries print. */
  private static final String MARK = "head-cost ";

  private static final int PEAK_STEPS = 5;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Measures a head in a new process. */
  static HeadCost measure(CostedHead head, HeadSize size, int repeats) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), HeadCost.class.getName()));
    command.addAll(List.of(head.name(), size.argument(), String.valueOf(repeats)));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      byte[] bytes = process.getInputStream().readAllBytes();
      String output = new String(bytes, StandardCharsets.UTF_8);
      Optional<String> result = output.lines().filter(line -> line.startsWith(MARK)).findFirst();
      if (process.onExit().join().exitValue() != 0 || result.isEmpty()) {
        throw new IllegalStateException(head.title() + " could not be measured:\n" + output);
      }
      return JSON.readValue(result.get().substring(MARK.length()), HeadCost.class);
    } catch (IOException e) {
      throw new IllegalStateException(head.title() + " could not be measured", e);
    }
  }

  /**
   * The new process.
   *
   * @param args a head, a size and how often to measure
   */
  public static void main(String[] args) throws IOException {
    Mkl.load();
    CostedHead head = CostedHead.of(args[0]);
    HeadCost cost = measureHere(head, HeadSize.parse(args[1]), Integer.parseInt(args[2]));
    System.out.println(MARK + JSON.writeValueAsString(cost));
    System.exit(0); // whatever threads the libraries have left
  }

  private static HeadCost measureHere(CostedHead head, HeadSize size, int repeats) {
    HeadSize tiny = new HeadSize(2, 16, 16, 8, 3);
    head.network(tiny, HeadWorkload.data(tiny)).fit(HeadWorkload.data(tiny)); // loads the libraries
    DataSet data = HeadWorkload.data(size);
    ComputationGraph[] made = new ComputationGraph[1];
    OptionalLong peak =
        ResidentSet.peakOf(
            () -> {
              made[0] = head.network(size, data);
              for (int i = 0; i < PEAK_STEPS; i++) {
                made[0].fit(data);
              }
            });
    ComputationGraph net = made[0];
    INDArray maps = data.getFeatures();
    net.outputSingle(maps);
    Sample forward = Duel.sample(() -> net.outputSingle(maps), repeats);
    net.fit(data);
    Sample step = Duel.sample(() -> net.fit(data), repeats);
    long vector = net.getParam(SpdGraft.CLASSIFIER + "_W").size(0);
    return new HeadCost(
        head.method().key(),
        head.title(),
        hasMatrix(net),
        vector,
        net.numParams(),
        forward,
        step,
        peak.orElse(-1));
  }

  private static boolean hasMatrix(ComputationGraph net) {
    return Stream.of(net.getLayers())
        .anyMatch(layer -> layer.conf().getLayer() instanceof KernelAggregationLayer);
  }
}
