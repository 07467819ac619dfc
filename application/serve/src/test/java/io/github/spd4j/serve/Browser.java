/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Chromium without a window, driven over W3C WebDriver, which is JSON over HTTP. */
final class Browser implements AutoCloseable {

  private static final String DRIVER = "chromedriver";
  private static final Pattern PORT = Pattern.compile("successfully on port (\\d+)");
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The key under which WebDriver names an element. */
  private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process driver;
  private String session;

  /** Whether there is one on this machine. */
  static boolean isThere() {
    return List.of(System.getenv("PATH").split(java.io.File.pathSeparator)).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, DRIVER)));
  }

  Browser() throws Exception {
    driver = new ProcessBuilder(DRIVER, "--port=0").redirectErrorStream(true).start();
    try {
      session = "http://localhost:" + port() + "/session";
      Map<String, Object> options =
          Map.of(
              "args",
              List.of(
                  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"));
      Map<String, Object> wishes =
          Map.of("goog:chromeOptions", options, "goog:loggingPrefs", Map.of("browser", "ALL"));
      JsonNode opened = post("", Map.of("capabilities", Map.of("alwaysMatch", wishes)));
      session += "/" + opened.get("sessionId").asText();
    } catch (Exception | Error e) {
      driver.destroy();
      throw e;
    }
  }

  private int port() throws IOException {
    BufferedReader lines = driver.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher port = PORT.matcher(line);
      if (port.find()) {
        return Integer.parseInt(port.group(1));
      }
    }
    throw new IOException("the driver did not start");
  }

  private JsonNode post(String path, Map<String, ?> body) throws Exception {
    return send(
        HttpRequest.newBuilder(URI.create(session + path))
            .POST(BodyPublishers.ofString(JSON.writeValueAsString(body))));
  }

  private JsonNode send(HttpRequest.Builder request) throws Exception {
    String answer = client.send(request.build(), BodyHandlers.ofString()).body();
    JsonNode value = JSON.readTree(answer).get("value");
    if (value.has("error")) {
      throw new IOException(value.get("message").asText());
    }
    return value;
  }

  void open(String address) throws Exception {
    post("/url", Map.of("url", address));
  }

  /** Types into an element; into one that takes files, their names. */
  void type(String selector, String text) throws Exception {
    JsonNode element = post("/element", Map.of("using", "css selector", "value", selector));
    String id = element.get(ELEMENT).asText();
    post("/element/" + id + "/value", Map.of("text", text));
  }

  /** The value of an expression in the page. */
  JsonNode script(String expression) throws Exception {
    return post("/execute/sync", Map.of("script", "return " + expression, "args", List.of()));
  }

  /** Waits until an expression holds. */
  void await(String condition) throws Exception {
    long end = System.nanoTime() + LONG.toNanos();
    while (!script(condition).asBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(condition + " never held: " + script("document.body.innerText"));
      }
    }
  }

  /** Looks as on a screen of that size, with a light or dark scheme. */
  void screen(int width, int height, boolean dark) throws Exception {
    chrome(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    Map<String, String> scheme =
        Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
    chrome("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
  }

  /** The nodes of what a screen reader gets. */
  JsonNode accessibility() throws Exception {
    chrome("Accessibility.enable", Map.of());
    return chrome("Accessibility.getFullAXTree", Map.of()).get("nodes");
  }

  private JsonNode chrome(String command, Map<String, ?> parameters) throws Exception {
    return post("/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  void photograph(Path file) throws Exception {
    String data = send(HttpRequest.newBuilder(URI.create(session + "/screenshot"))).asText();
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(data));
  }

  /** What the page complained about. */
  String complaints() throws Exception {
    StringBuilder all = new StringBuilder();
    for (JsonNode entry : post("/se/log", Map.of("type", "browser"))) {
      all.append(entry.get("message").asText()).append('\n');
    }
    return all.toString();
  }

  @Override
  public void close() throws Exception {
    try {
      send(HttpRequest.newBuilder(URI.create(session)).DELETE());
    } finally {
      driver.destroy();
    }
  }
}
