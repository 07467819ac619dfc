/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners.ui;

import io.github.spd4j.listeners.HealthRecord;
import io.github.spd4j.listeners.HealthReport;
import io.vertx.ext.web.RoutingContext;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.deeplearning4j.core.storage.Persistable;
import org.deeplearning4j.core.storage.StatsStorage;
import org.deeplearning4j.core.storage.StatsStorageEvent;
import org.deeplearning4j.ui.api.HttpMethod;
import org.deeplearning4j.ui.api.Route;
import org.deeplearning4j.ui.api.UIModule;
import org.deeplearning4j.ui.i18n.I18NResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the page {@code /spd} to DL4J's user interface. It shows what a {@link
 * io.github.spd4j.listeners.SpdHealthListener} has put into the attached storages: the latest
 * figures of each layer, what is wrong, and charts over the iterations.
 *
 * <p>The user interface finds this module by itself when it starts. The page shows the session that
 * was written to last; {@code /spd?session=…} shows another one.
 */
public final class SpdHealthModule implements UIModule {

  private static final Logger LOG = LoggerFactory.getLogger(SpdHealthModule.class);

  private final List<StatsStorage> storages = new CopyOnWriteArrayList<>();

  /** A module without storages yet. */
  public SpdHealthModule() {}

  @Override
  public List<String> getCallbackTypeIDs() {
    return List.of(HealthRecord.TYPE_ID);
  }

  @Override
  public List<Route> getRoutes() {
    return List.of(new Route("/spd", HttpMethod.GET, (path, context) -> answer(context)));
  }

  @Override
  public void reportStorageEvents(Collection<StatsStorageEvent> events) {
    // The page reads the storages when it is asked for.
  }

  @Override
  public void onAttach(StatsStorage statsStorage) {
    storages.add(statsStorage);
  }

  @Override
  public void onDetach(StatsStorage statsStorage) {
    storages.remove(statsStorage);
  }

  @Override
  public List<I18NResource> getInternationalizationResources() {
    return List.of();
  }

  private void answer(RoutingContext context) {
    context
        .response()
        .putHeader("content-type", "text/html; charset=utf-8")
        .end(page(context.request().getParam("session")));
  }

  /** The page of a session, or if there is none of this name, of the one written to last. */
  String page(String requested) {
    Map<String, StatsStorage> sessions = sessions();
    if (sessions.isEmpty()) {
      return HealthPage.empty();
    }
    boolean known = requested != null && sessions.containsKey(requested);
    String session = known ? requested : latest(sessions);
    return HealthPage.of(session, sessions.keySet(), reports(sessions.get(session), session));
  }

  private Map<String, StatsStorage> sessions() {
    Map<String, StatsStorage> found = new TreeMap<>();
    for (StatsStorage storage : storages) {
      for (String session : storage.listSessionIDs()) {
        if (latestUpdate(storage, session) != null) {
          found.put(session, storage);
        }
      }
    }
    return found;
  }

  private static String latest(Map<String, StatsStorage> sessions) {
    return sessions.keySet().stream()
        .max(
            Comparator.comparingLong(
                session -> latestUpdate(sessions.get(session), session).getTimeStamp()))
        .orElseThrow();
  }

  private static Persistable latestUpdate(StatsStorage storage, String session) {
    return storage.getLatestUpdate(session, HealthRecord.TYPE_ID, HealthRecord.WORKER_ID);
  }

  private static List<HealthReport> reports(StatsStorage storage, String session) {
    return storage
        .getAllUpdatesAfter(session, HealthRecord.TYPE_ID, HealthRecord.WORKER_ID, 0)
        .stream()
        .flatMap(record -> report((HealthRecord) record).stream())
        .collect(Collectors.toList());
  }

  /** A damaged one is not shown; the others are. */
  private static Optional<HealthReport> report(HealthRecord record) {
    try {
      return Optional.of(record.report());
    } catch (UncheckedIOException e) {
      LOG.warn("Not shown: {}", e.getCause().getMessage());
      return Optional.empty();
    }
  }
}
