/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.reports.HtmlPage;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser. */
class PageTest {

  private static final String TOKEN = "0123456789abcdef";
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");

  @TempDir private static Path folder;
  private static ImageClassifier classifier;
  private static Browser browser;

  private ImageServer server;

  @BeforeAll
  static void open() throws Exception {
    assumeThat(Browser.isThere())
        .as("skipped: the page needs Chromium and its chromedriver on the PATH")
        .isTrue();
    classifier = ImageClassifier.load(TinyModel.write(folder.resolve("model.zip")));
    browser = new Browser();
  }

  @AfterAll
  static void close() throws Exception {
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private void start(String token) throws Exception {
    start(classifier, token);
  }

  private void start(ImageClassifier classifier, String token) throws Exception {
    Duration time = Duration.ofSeconds(30);
    server =
        new ImageServer(
            classifier,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            token,
            new Limits(1 << 20, 1_000_000, 8, 4, time, time, time));
    browser.complaints(); // of the page before
    browser.open("http://localhost:" + server.address().getPort());
  }

  private String label(byte[] picture) throws Exception {
    return classifier.classify(new ByteArrayInputStream(picture)).label();
  }

  private Path file(int seed) throws Exception {
    return file(seed, 300, 200);
  }

  private Path file(int seed, int width, int height) throws Exception {
    return Files.write(folder.resolve(seed + ".png"), TinyModel.png(seed, width, height));
  }

  private void awaitLabel(String label) throws Exception {
    browser.await(
        "!document.getElementById('result').hidden"
            + " && !document.getElementById('result').classList.contains('old')"
            + " && document.getElementById('label').textContent === '"
            + label
            + "'");
  }

  @Test
  void aPictureIsChosenAndItsClassesAndWhatDecidedAreShown() throws Exception {
    start(null);
    browser.await("document.getElementById('model').textContent.includes('3 classes')");
    Path picture = file(1);
    browser.type("#file", picture.toString());
    awaitLabel(label(Files.readAllBytes(picture)));
    assertThat(browser.script("document.querySelectorAll('#classes tr').length").asInt())
        .isEqualTo(3);
    assertThat(browser.script("document.getElementById('classes').innerText").asText())
        .contains("stone & <sand>", " %");
    browser.await("document.getElementById('picture').naturalWidth === 300");
    String painted =
        "Array.from(document.getElementById('heat').getContext('2d')"
            + ".getImageData(0, 0, 10, 10).data).some(value => value === 208)";
    assertThat(browser.script(painted).asBoolean()).isTrue();
    for (int width : new int[] {400, 1280}) {
      for (boolean dark : new boolean[] {false, true}) {
        browser.screen(width, 900, dark);
        browser.photograph(SCREENSHOTS.resolve(width + (dark ? "-dark.png" : "-light.png")));
        assertThat(browser.script("document.documentElement.scrollWidth").asInt())
            .isLessThanOrEqualTo(width);
      }
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void reportsFitANarrowScreen() throws Exception {
    String word = "a_name_without_a_single_space_in_it";
    List<String> columns = IntStream.range(0, 13).mapToObj(i -> word + i).toList();
    HtmlPage page =
        new HtmlPage(word)
            .code(word.repeat(4))
            .facts(Map.of(word, word + word))
            .table(columns, List.of(columns))
            .table(
                List.of("class", "precision", "recall", "F1", "images", "recall, 95 %"),
                List.of(List.of(word, "100.0 %", "100.0 %", "100.0 %", "100", "90.0 to 100.0 %")))
            .folded("folded", () -> {})
            .confusion(new int[31][31], Collections.nCopies(31, word), word)
            .confusion(new int[12][12], Collections.nCopies(12, word), word);
    browser.open(Files.writeString(folder.resolve("page.html"), page.html()).toUri().toString());
    browser.screen(400, 900, false);
    String wide =
        "Array.from(document.querySelectorAll('html, table, pre, td, .scroll'))"
            + ".filter(part => part.scrollWidth > Math.min(400, part.clientWidth + 1))"
            + ".map(part => part.outerHTML.slice(0, 99))";
    assertThat(browser.script(wide)).isEmpty();
    assertThat(tree()).contains("rowheader | " + word + " | ", "heading | folded | ");
  }

  /** A picture may be dropped while the page still asks about the model. */
  @Test
  void aLateDescriptionOfTheModelWipesNothingOut() throws Exception {
    start(null);
    browser.await("document.getElementById('model').textContent.includes('classes')");
    browser.script(
        "(() => { const real = fetch; let late = true; window.fetch = (path, options) => {"
            + " const wait = late ? 300 : 0; late = false; return new Promise(done =>"
            + " setTimeout(done, wait)).then(() => real(path, options)); };"
            + " describe().then(() => document.title = 'both');"
            + " describe().then(() => say('no known image format', true)); })()");
    browser.await("document.title === 'both'");
    assertThat(browser.script("document.getElementById('status').textContent").asText())
        .isEqualTo("no known image format");
  }

  @Test
  void picturesAreDroppedAndRefusalsShown() throws Exception {
    start(null);
    drop("new Uint8Array([1, 2, 3])");
    browser.await(
        "document.querySelector('#status.wrong')?.textContent.includes('no known image format')");
    byte[] picture = TinyModel.png(2);
    StringBuilder numbers = new StringBuilder();
    for (byte value : picture) {
      numbers.append(value & 0xff).append(',');
    }
    drop("new Uint8Array([" + numbers + "])");
    awaitLabel(label(picture));
    browser.await("document.getElementById('status').textContent.startsWith('dropped.png: ')");
    drop("new Uint8Array(" + ((1 << 20) + 1) + ")");
    browser.await("document.querySelector('#status.wrong')?.textContent.includes('MB')");
  }

  /** As on a terminal: what turns the direction of writing is written out. */
  @Test
  void namesTurnNothing() throws Exception {
    start(null);
    browser.await("document.getElementById('model').textContent.includes('classes')");
    assertThat(browser.script("shown('a\\u202eb\\n\\u200dc \\u{1f600}')").asText())
        .isEqualTo("a\\u202eb\\u000a\u200dc \ud83d\ude00");
    browser.script(
        "window.fetch = () => Promise.resolve(new Response('{\"error\": \"\\u2066leaf\"}',"
            + " {status: 422}))");
    drop("new Uint8Array([1, 2, 3])");
    browser.await("document.getElementById('status').textContent.includes('\\\\u2066leaf')");
  }

  private void drop(String bytes) throws Exception {
    browser.script(
        "(() => { const files = new DataTransfer();"
            + " files.items.add(new File(["
            + bytes
            + "], 'dropped.png'));"
            + " document.dispatchEvent(new DragEvent('drop', {dataTransfer: files})); })()");
  }

  @Test
  void severalPicturesHaveSeveralAnswers() throws Exception {
    start(null);
    browser.await("document.getElementById('model').textContent.includes('classes')");
    Path broken = Files.writeString(folder.resolve("broken.png"), "no picture");
    browser.type("#file", file(4) + "\n" + broken + "\n" + file(5));
    browser.await(
        "document.getElementById('status').textContent"
            + ".startsWith('2 of 3 pictures classified; broken.png: ')");
    assertThat(browser.script("document.querySelectorAll('#list button').length").asInt())
        .isEqualTo(3);
    browser.script("document.querySelectorAll('#list button')[2].click()");
    awaitLabel(label(Files.readAllBytes(file(5))));
    browser.await("document.getElementById('status').textContent.startsWith('5.png: ')");
  }

  @Test
  void noClassIsSaidWithoutTheDoubtAboutIt() throws Exception {
    Confidence never = Confidence.of(1, 1);
    start(ImageClassifier.load(TinyModel.write(folder.resolve("unsure.zip"), never)), null);
    browser.await("document.getElementById('model').textContent.includes('classes')");
    browser.type("#file", file(7).toString());
    awaitLabel(label(Files.readAllBytes(file(7))));
    browser.await("document.getElementById('status').textContent.endsWith(' % (unsure)')");
    assertThat(browser.script("document.getElementById('doubt').innerText").asText())
        .isEqualTo("unsure");
    browser.type("#file", file(7) + "\n" + file(8));
    browser.await(
        "document.getElementById('status').textContent"
            + " === '2 of 2 pictures classified, 2 of them doubtful'");
    assertThat(
            browser.script(
                "Array.from(document.querySelectorAll('#list span')).map(one => one.textContent)"))
        .hasSize(2)
        .allMatch(text -> text.asText().endsWith(" % (unsure)"));
    assertThat(tree()).anyMatch(line -> line.matches("region \\| .+ unsure \\|.*"));
  }

  @Test
  void picturesOfAllShapesKeepTheirShape() throws Exception {
    start(null);
    browser.await("document.getElementById('model').textContent.includes('classes')");
    int[][] sizes = {{200, 400}, {540, 960}, {900, 300}, {1200, 300}, {60, 40}, {40, 400}};
    for (int i = 0; i < sizes.length; i++) {
      int width = sizes[i][0];
      int height = sizes[i][1];
      browser.script("document.getElementById('label').textContent = ''");
      browser.type("#file", file(100 + i, width, height).toString());
      browser.await("document.getElementById('label').textContent !== ''");
      browser.await("document.getElementById('picture').naturalWidth === " + width);
      for (int screen : new int[] {400, 1280}) {
        browser.screen(screen, 650, false);
        String shape = "(({width, height}) => width / height)(%s.getBoundingClientRect())";
        String picture = shape.formatted("document.getElementById('picture')");
        String heat = shape.formatted("document.getElementById('heat')");
        double natural = (double) width / height;
        assertThat(browser.script(picture).asDouble()).isCloseTo(natural, withinPercentage(1));
        assertThat(browser.script(heat).asDouble()).isCloseTo(natural, withinPercentage(1));
      }
    }
  }

  /** What a screen reader reads: names, percent, and what was said last. */
  @Test
  void theAccessibilityTreeSaysWhatThePageShows() throws Exception {
    start(null);
    browser.await("document.getElementById('model').textContent.includes('classes')");
    byte[] picture = Files.readAllBytes(file(6));
    browser.type("#file", file(6).toString());
    awaitLabel(label(picture));
    String answer = label(picture);
    List<String> tree = tree();
    assertThat(tree)
        .anyMatch(line -> line.startsWith("image | 6.png |"))
        .anyMatch(line -> line.startsWith("StaticText | 6.png: " + answer + ", "))
        .noneMatch(line -> line.matches("(progressbar|image|img) \\|  \\|.*"))
        .noneMatch(line -> line.matches(".*\\d\\.\\d{4,}.*"))
        .contains("rowheader | " + answer + " | "); // with its number in the next cell alone
    assertThat(tree.stream().filter(line -> line.matches("(cell|gridcell) \\| [\\d.]+ % \\|.*")))
        .hasSize(3);
  }

  /** Role, name and value of each node that a screen reader gets. */
  private static List<String> tree() throws Exception {
    List<String> tree = new ArrayList<>();
    for (JsonNode node : browser.accessibility()) {
      if (!node.path("ignored").asBoolean()) {
        String role = node.path("role").path("value").asText();
        String name = node.path("name").path("value").asText();
        String value = node.path("value").path("value").asText();
        tree.add(role + " | " + name + " | " + value);
      }
    }
    return tree;
  }

  @Test
  void aServerWithATokenAsksForIt() throws Exception {
    start(TOKEN);
    browser.await("!document.getElementById('access').hidden");
    browser.type("#token", TOKEN + "\n");
    browser.await("document.getElementById('model').textContent.includes('3 classes')");
    assertThat(browser.script("document.getElementById('access').hidden").asBoolean()).isTrue();
    Path picture = file(3);
    browser.type("#file", picture.toString());
    awaitLabel(label(Files.readAllBytes(picture)));
  }
}
