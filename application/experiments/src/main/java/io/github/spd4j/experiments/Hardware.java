/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nd4j.linalg.api.environment.Nd4jEnvironment;
import org.nd4j.linalg.factory.Nd4j;

/** The processor, memory and GPUs of this machine, as far as they can be found out. */
final class Hardware {

  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /** The cores that Arm designed for servers and boards; Linux gives their numbers, no names. */
  private static final Map<String, String> ARM_PARTS =
      Map.of(
          "0xd08", "Cortex-A72",
          "0xd0b", "Cortex-A76",
          "0xd0c", "Neoverse N1",
          "0xd40", "Neoverse V1",
          "0xd49", "Neoverse N2",
          "0xd4f", "Neoverse V2");

  private static final String ARM = "0x41";

  private Hardware() {}

  /** The model of the processor, or its architecture if nothing else is known. */
  static String cpu() {
    try {
      return cpu(Files.readAllLines(CPU_INFO)).orElseGet(Hardware::otherCpu);
    } catch (IOException e) { // not Linux
      return otherCpu();
    }
  }

  private static String otherCpu() {
    String windows = System.getenv("PROCESSOR_IDENTIFIER");
    return windows == null ? System.getProperty("os.arch") : windows;
  }

  /** The model by what Linux says about the processors. */
  static Optional<String> cpu(List<String> lines) {
    Optional<String> name = value(lines, "model name");
    return name.isPresent() ? name : value(lines, "CPU part").map(part -> arm(lines, part));
  }

  private static String arm(List<String> lines, String part) {
    String designer = value(lines, "CPU implementer").orElse("");
    return designer.equals(ARM) && ARM_PARTS.containsKey(part)
        ? "Arm " + ARM_PARTS.get(part)
        : "Arm core " + part + " of implementer " + designer;
  }

  private static Optional<String> value(List<String> lines, String name) {
    return lines.stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst();
  }

  /** The machine's memory, in GiB. */
  static String memory() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
        ? String.format(Locale.ROOT, "%.1f GiB", machine.getTotalMemorySize() / (double) (1 << 30))
        : "unknown";
  }

  /** The names of the GPUs that ND4J computes on, if it does. */
  static Optional<String> gpu() {
    Object devices =
        Nd4j.getExecutioner()
            .getEnvironmentInformation()
            .get(Nd4jEnvironment.CUDA_DEVICE_INFORMATION_KEY);
    return devices instanceof List<?> list ? gpu(list) : Optional.empty();
  }

  /** The names by what ND4J says about the devices. */
  static Optional<String> gpu(List<?> devices) {
    String names =
        devices.stream()
            .filter(device -> device instanceof Map)
            .map(device -> ((Map<?, ?>) device).get(Nd4jEnvironment.CUDA_DEVICE_NAME_KEY))
            .map(String::valueOf)
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? Optional.empty() : Optional.of(names);
  }
}
