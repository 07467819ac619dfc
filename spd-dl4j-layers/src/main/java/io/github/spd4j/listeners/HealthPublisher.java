/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import java.util.UUID;
import org.deeplearning4j.core.storage.StatsStorageRouter;

/** Puts reports into a storage, as one session. */
final class HealthPublisher {

  private final StatsStorageRouter storage;
  private final String session = UUID.randomUUID().toString();
  private long lastTime;

  HealthPublisher(StatsStorageRouter storage) {
    this.storage = storage;
  }

  void publish(HealthReport report) {
    if (lastTime == 0) {
      // A storage lists a session only if there is something static about it.
      storage.putStaticInfo(new HealthRecord(session, System.currentTimeMillis(), report));
    }
    // A storage keeps one record for each millisecond: a second one would replace the first.
    lastTime = Math.max(lastTime + 1, System.currentTimeMillis());
    storage.putUpdate(new HealthRecord(session, lastTime, report));
  }
}
