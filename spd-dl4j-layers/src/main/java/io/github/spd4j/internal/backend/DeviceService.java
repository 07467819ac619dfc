/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;

/** What a module such as {@code spd-dl4j-cuda} offers for its device. For internal use. */
public final class DeviceService {

  private DeviceService() {}

  /**
   * Looks for a service. Services do not come and go, so that once is enough.
   *
   * @param service its interface
   * @param isUsable whether it fits the device that ND4J runs on
   * @param <T> its interface
   * @return the first that fits
   */
  public static <T> Optional<T> find(Class<T> service, Predicate<T> isUsable) {
    try {
      return ServiceLoader.load(service, service.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .filter(isUsable)
          .findFirst();
    } catch (ServiceConfigurationError e) { // ND4J's classes for the device are not there
      LoggerFactory.getLogger(service)
          .info("No {} for a device can be used: {}", service.getSimpleName(), e.toString());
      return Optional.empty();
    }
  }
}
