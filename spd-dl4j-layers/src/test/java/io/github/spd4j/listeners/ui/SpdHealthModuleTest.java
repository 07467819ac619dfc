/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners.ui;

import static io.github.spd4j.testing.Networks.general;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.listeners.Figure;
import io.github.spd4j.listeners.HealthRecord;
import io.github.spd4j.listeners.HealthReport;
import io.github.spd4j.listeners.LayerHealth;
import io.github.spd4j.listeners.SpdHealthListener;
import io.github.spd4j.testing.Networks;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.core.storage.StatsStorage;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.ui.VertxUIServer;
import org.deeplearning4j.ui.model.storage.InMemoryStatsStorage;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.learning.config.Sgd;

class SpdHealthModuleTest {

  private static final int ANY_FREE_PORT = 0;

  private static HttpResponse<String> get(String address) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(address)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static HealthReport report(int iteration, String layer, double condition) {
    LayerHealth health = new LayerHealth(layer, "Type", Map.of(Figure.CONDITION, condition));
    return new HealthReport(iteration, 0, 1.0, List.of(health), List.of("a < b"));
  }

  private static void put(StatsStorage storage, HealthRecord record) {
    storage.putStaticInfo(record);
    storage.putUpdate(record);
  }

  private static SpdHealthModule attachedTo(StatsStorage storage) {
    SpdHealthModule module = new SpdHealthModule();
    module.onAttach(storage);
    return module;
  }

  @Test
  void theUserInterfaceServesThePage() throws Exception {
    StatsStorage storage = new InMemoryStatsStorage();
    SpdHealthListener listener = new SpdHealthListener.Builder().every(1).storage(storage).build();
    VertxUIServer server = VertxUIServer.getInstance(ANY_FREE_PORT, false, null);
    try {
      server.attach(storage);
      ComputationGraph net =
          Networks.convolutional(
              general(DataType.FLOAT, new Sgd(0.1)),
              Networks.head(),
              InputType.convolutional(8, 8, 2));
      net.setListeners(listener);
      for (int i = 1; i <= 5; i++) {
        net.fit(Networks.images(DataType.FLOAT, i, 3, 2, 8, 8));
      }
      HttpResponse<String> response = get(server.getAddress() + "/spd");
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("content-type").orElseThrow())
          .startsWith("text/html");
      HealthReport latest = listener.history().get(4);
      assertThat(response.body()).contains("Iteration 4, epoch 0");
      for (LayerHealth layer : latest.layers()) {
        assertThat(response.body()).contains(layer.name() + " (" + layer.type() + ")");
        layer
            .figures()
            .forEach(
                (figure, value) ->
                    assertThat(response.body())
                        .contains("'" + figure.label() + "'>" + figure.format(value) + "</td>"));
      }
      assertThat(response.body().split("<svg ", -1)).hasSize(1 + 8);
    } finally {
      VertxUIServer.stopInstance();
    }
  }

  @Test
  void withoutFiguresThePageSaysSo() {
    assertThat(attachedTo(new InMemoryStatsStorage()).page(null)).contains("No figures yet");
  }

  @Test
  void showsTheLatestSessionUnlessAskedForAnother() {
    StatsStorage storage = new InMemoryStatsStorage();
    put(storage, new HealthRecord("z-older", 1, report(1, "first", 2)));
    put(storage, new HealthRecord("a-newer", 2, report(2, "second", 2)));
    SpdHealthModule module = attachedTo(storage);
    assertThat(module.page(null)).contains("second (Type)").doesNotContain("first (Type)");
    assertThat(module.page("z-older")).contains("first (Type)").doesNotContain("second (Type)");
    assertThat(module.page("unknown")).contains("second (Type)");
    assertThat(module.page(null)).contains("href='/spd?session=z-older'");
    module.onDetach(storage);
    assertThat(module.page(null)).contains("No figures yet");
  }

  @Test
  void escapesWhatItShows() {
    StatsStorage storage = new InMemoryStatsStorage();
    put(storage, new HealthRecord("s", 1, report(1, "<script>", 2)));
    assertThat(attachedTo(storage).page(null))
        .doesNotContain("<script>")
        .contains("&lt;script&gt;", "a &lt; b");
  }

  @Test
  void anInfiniteConditionNumberIsShownButNotDrawn() {
    StatsStorage storage = new InMemoryStatsStorage();
    put(storage, new HealthRecord("s", 1, report(1, "k", Double.POSITIVE_INFINITY)));
    assertThat(attachedTo(storage).page(null))
        .contains("<td data-name='condition'>∞</td>")
        .doesNotContain("Condition number", "NaN", "Infinity");
  }

  @Test
  void aLongHistoryIsThinned() {
    StatsStorage storage = new InMemoryStatsStorage();
    for (int i = 0; i < 1000; i++) {
      put(storage, new HealthRecord("s", i + 1, report(i, "k", 2 + i)));
    }
    String page = attachedTo(storage).page(null);
    assertThat(page).contains("Iteration 999,");
    assertThat(page.split("<circle", -1).length).isBetween(2 * 200, 2 * 250 + 2);
  }
}
