/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.spd4j.cli.Commands;
import io.github.spd4j.cli.Main;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.faults.Disk.Fault;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import picocli.CommandLine;

/**
 * What happens in a folder, drawn from a seed: a stranger leaves files, links and pipes wherever
 * commands write, clocks jump, and commands run on a {@link Disk} that fails; which of them trains
 * is drawn, too. After each command holds what is promised:
 *
 * <ul>
 *   <li>nothing of the stranger's is lost or changed, nor any picture;
 *   <li>what was finished stays;
 *   <li>an answer is right, or refused with exit code 2 and a line that is no stack trace;
 *   <li>a command that nothing disturbs does its work.
 * </ul>
 */
final class Schedule {

  private static final String DELETE = "--delete";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final List<String> OURS =
      List.of("result.json", "model.zip", "model.json", "predictions.csv", "pictures.csv");

  /** What the user is told to delete, or to move away. */
  private static final Pattern REMEDY =
      Pattern.compile(
          "(?:take the place of (\\S+); choose another name, or move that away)"
              + "|(\\S+); delete it");

  /** Where a stranger's things lie. */
  private static final List<String> PLACES =
      List.of("", "out/", "out/features/", "x/", "tables/", "s/", "s/unsure/", "labels/");

  private static final List<String> NAMES =
      List.of(
          ".spd",
          "lock",
          "settings.json",
          "clock.json",
          "search.json",
          "checkpoint.zip",
          "checkpoint.zip.tmp",
          "model.zip",
          "model.zip.tmp",
          "model.json",
          "result.json",
          "result.json.tmp",
          "predictions.csv",
          "report.html",
          "features",
          "index.html",
          "001-1.png",
          "1.png",
          "leaf",
          "table.md",
          "table.html.tmp",
          "answers.csv",
          "answers.csv.tmp",
          "answers.json.tmp",
          "model.onnx",
          "model.onnx.tmp",
          "found.csv.tmp",
          "compare.html",
          "labels.html",
          "quickstart.html",
          "thesis.txt",
          "line\nbreak",
          "\u001b[31mred",
          "ü ' \"",
          "n".repeat(255));

  private final Random random;
  private final Training training;
  private final Path world;
  private final Path photos;
  private final Path nets;
  private final Reference reference;
  private final long start = System.nanoTime();
  private final List<String> log = new ArrayList<>();
  private final Map<Path, String> strangers = new TreeMap<>();
  private final Map<Path, String> finished = new TreeMap<>();
  private Throwable failure;
  private boolean powerFailed;

  /**
   * What commands answer if nothing disturbs them; how much they change and read meanwhile.
   *
   * @param runs for each run its files, by name; of a model the network alone
   */
  record Reference(
      List<Map<String, String>> runs,
      String answers,
      Map<String, int[]> moments,
      Map<String, Integer> codes) {}

  Schedule(long seed, Training training, Path world, Path nets, Reference reference)
      throws IOException {
    this.random = new Random(seed);
    this.training = training;
    this.world = world;
    this.photos = world.resolve("photos");
    this.nets = nets;
    this.reference = reference;
    for (Path picture : below(photos)) {
      strangers.put(picture, content(picture));
    }
  }

  /** The steps so far, to be read by whoever looks for a mistake. */
  String log() {
    StringWriter text = new StringWriter();
    log.forEach(line -> text.append(line).append('\n'));
    if (failure != null) {
      failure.printStackTrace(new PrintWriter(text, true));
    }
    return text.toString();
  }

  /** Runs all of it. */
  void run() throws IOException {
    for (int steps = 3 + random.nextInt(6); steps > 0; steps--) {
      switch (random.nextInt(8)) {
        case 0, 1 -> leaveSomething();
        case 2 -> jump();
        default -> command(commands().get(random.nextInt(commands().size())), fault());
      }
    }
    goAway();
    for (List<String> words : commands()) {
      command(words, Fault.NONE);
    }
  }

  private Fault fault() {
    return random.nextInt(4) == 0
        ? Fault.NONE
        : Fault.values()[1 + random.nextInt(Fault.values().length - 1)];
  }

  private List<List<String>> commands() {
    Path out = world.resolve("out");
    List<String> train = training.words(photos, out, nets);
    String model = runs().get(0).toString();
    String other = runs().get(runs().size() - 1).toString();
    List<String> predict =
        List.of(
            "predict",
            model,
            photos.toString(),
            "--csv=" + world.resolve("answers.csv"),
            "--json=" + world.resolve("answers.json"));
    List<String> explain =
        List.of(
            "predict",
            model,
            photos.resolve("test/leaf/1.png").toString(),
            "--explain=" + world.resolve("x"));
    List<String> sort =
        List.of(
            "predict",
            model,
            photos.resolve("test").toString(),
            "--sort-into=" + world.resolve("s"));
    List<String> table = List.of("table", out.toString(), "--out=" + world.resolve("tables"));
    List<String> export = List.of("export", model, world.resolve("model.onnx").toString());
    List<String> check = List.of("check", photos.toString(), "--csv=" + world.resolve("found.csv"));
    List<String> labels =
        List.of(
            "check", photos.toString(), "--labels=" + model, "--out=" + world.resolve("labels"));
    List<String> compare =
        List.of("compare", model, other, "--out=" + world.resolve("compare.html"));
    List<String> list = List.of("runs", world.toString());
    List<String> free = List.of("runs", world.toString(), "--delete-features");
    List<String> delete = List.of("runs", model, DELETE);
    List<List<String>> all = new ArrayList<>(List.of(train, predict, explain, sort, table));
    if (training == Training.PAPER) { // once is enough for what takes seconds
      Path page = world.resolve("quickstart.html");
      all.add(List.of("quickstart", "--images=1", "--epochs=1", "--out=" + page));
    }
    all.addAll(List.of(export, check, labels, compare, list, free, delete));
    return all;
  }

  private List<Path> runs() {
    return training.runs(world.resolve("out"));
  }

  private boolean isTraining(List<String> words) {
    return words.contains("--batch=4");
  }

  static String name(List<String> words) {
    return words.stream()
        .map(word -> word.replaceFirst("=.*", ""))
        .filter(word -> word.equals(words.get(0)) || word.startsWith("--"))
        .collect(Collectors.joining(" "));
  }

  /** The undisturbed commands, one after the other. */
  static Reference reference(Training training, Path world, Path nets) throws IOException {
    Map<String, int[]> moments = new TreeMap<>();
    Map<String, Integer> codes = new TreeMap<>();
    List<Map<String, String>> runs = new ArrayList<>();
    Schedule schedule = new Schedule(0, training, world, nets, null);
    for (List<String> words : schedule.commands()) {
      Disk disk = new Disk(Fault.NONE, 0, new Random(0));
      StringWriter err = new StringWriter();
      int code = schedule.execute(words, disk, err);
      codes.put(name(words), code);
      if (code != 0) {
        assertThat(name(words)).as(err.toString()).isEqualTo("check --csv"); // it finds something
      }
      moments.put(name(words), new int[] {disk.changes().size(), disk.readings()});
      if (schedule.isTraining(words)) {
        for (Path run : schedule.runs()) {
          runs.add(files(run));
        }
      }
    }
    return new Reference(runs, schedule.answers(), moments, codes);
  }

  /** What a run leaves, but for what differs from time to time. */
  private static Map<String, String> files(Path run) throws IOException {
    Map<String, String> files = new TreeMap<>();
    for (String name : OURS) {
      if (Files.exists(run.resolve(name))) {
        files.put(name, content(run.resolve(name)));
      }
    }
    files.put("result.json", "of another time");
    files.put("model.zip", network(run.resolve("model.zip")));
    return files;
  }

  /** Weights, and how they were trained. */
  private static String network(Path model) throws IOException {
    try (ZipFile zip = new ZipFile(model.toFile())) {
      StringBuilder all = new StringBuilder();
      for (String name : List.of("configuration.json", "coefficients.bin")) {
        byte[] bytes = zip.getInputStream(zip.getEntry(name)).readAllBytes();
        all.append(new String(bytes, ISO_8859_1));
      }
      return all.toString();
    }
  }

  /** Where the pictures are makes no difference. */
  private String answers() throws IOException {
    return content(world.resolve("answers.csv")).replace(photos.toString(), "photos");
  }

  private int execute(List<String> words, Disk disk, StringWriter err) {
    CommandLine spd = Main.commandLine();
    CommandLine.IExecutionExceptionHandler usual =
        spd.getSubcommands().get(words.get(0)).getExecutionExceptionHandler();
    spd.registerConverter(Path.class, disk::path);
    StringWriter findings = words.get(0).equals("check") ? err : new StringWriter();
    spd.setOut(new PrintWriter(findings)).setErr(new PrintWriter(err));
    spd.setExecutionExceptionHandler(
        (mistake, line, parsed) -> {
          if (disk.isDead()) {
            return 137;
          }
          failure = mistake;
          return usual.handleExecutionException(mistake, line, parsed);
        });
    PrintStream screen = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    try {
      return assertTimeoutPreemptively(LIMIT, () -> spd.execute(words.toArray(String[]::new)));
    } finally {
      System.setOut(screen);
    }
  }

  private void command(List<String> words, Fault fault) throws IOException {
    int[] moments = reference.moments().get(name(words));
    int most = fault == Fault.READ_ERROR ? moments[1] : moments[0];
    int moment = 1 + random.nextInt(Math.max(1, most));
    Disk disk = new Disk(fault, moment, random);
    boolean undisturbed = fault == Fault.NONE && strangersInTheWay() == 0;
    boolean hasModel =
        runs().stream().allMatch(run -> finished.containsKey(run.resolve("result.json")));
    if (words.contains(DELETE)) {
      finished.keySet().removeIf(file -> file.startsWith(runs().get(0))); // from now on it may go
    }
    StringWriter err = new StringWriter();
    int step = log.size() + 1;
    log.add("%d. %s, %s at %d".formatted(step, name(words), fault, moment));
    int code = execute(words, disk, err);
    List<String> changes = disk.changes();
    String last = changes.isEmpty() ? "nothing" : changes.get(changes.size() - 1);
    log.add("   exit code %d, last %s; %s".formatted(code, last, err.toString().strip()));
    assertThat(disk.isDead() || code == 0 || code == Commands.USER_ERROR).as("exit code").isTrue();
    if (code == Commands.USER_ERROR && !disk.isDead()) {
      assertThat(err.toString()).isNotBlank().doesNotContain("Exception", "\tat ", "null");
    }
    powerFailed |= disk.isDead() && fault == Fault.POWER;
    strangers.forEach(Schedule::requireSame);
    finished.forEach(Schedule::requireSame);
    if (undisturbed && mended(err.toString())) {
      command(words, Fault.NONE);
    } else if (undisturbed && (hasModel || isTraining(words))) {
      assertThat(code)
          .as("exit code of what nothing disturbs")
          .isEqualTo(reference.codes().get(name(words)));
    }
    if (code == 0) {
      requireRight(words);
      failure = null;
    }
  }

  /** The user does what the line says, if the power failed before; nothing else may need that. */
  private boolean mended(String line) throws IOException {
    Matcher remedy = REMEDY.matcher(line);
    if (!powerFailed || !remedy.find()) {
      return false;
    }
    Path file = Path.of(remedy.group(1) == null ? remedy.group(2) : remedy.group(1));
    log.add("   the user deletes " + file);
    assertThat(finished).doesNotContainKey(file);
    Files.delete(file);
    return true;
  }

  private static void requireSame(Path path, String content) {
    assertThat(path).matches(file -> Files.exists(file, LinkOption.NOFOLLOW_LINKS), "is there");
    assertThat(content(path)).as(path.toString()).isEqualTo(content);
  }

  private void requireRight(List<String> words) throws IOException {
    if (isTraining(words)) {
      for (int i = 0; i < runs().size(); i++) {
        requireRight(runs().get(i), reference.runs().get(i));
      }
    } else if (name(words).equals("predict --csv --json")) {
      assertThat(answers()).isEqualTo(reference.answers());
    }
  }

  private void requireRight(Path run, Map<String, String> expected) throws IOException {
    assertThat(files(run)).isEqualTo(expected);
    for (String gone : List.of("settings.json", "checkpoint.zip", "clock.json", "lock")) {
      if (!strangers.containsKey(run.resolve(gone))) {
        assertThat(run.resolve(gone)).doesNotExist();
      }
    }
    double seconds = RunResult.read(run.resolve("result.json")).execution().seconds().all();
    assertThat(seconds).isBetween(0.0, (System.nanoTime() - start) / 1e9);
    expected.keySet().forEach(name -> finished.put(run.resolve(name), content(run.resolve(name))));
  }

  private long strangersInTheWay() {
    return strangers.keySet().stream().filter(path -> !path.startsWith(photos)).count();
  }

  /** Somebody else, or the user without a thought, puts something anywhere. */
  private void leaveSomething() throws IOException {
    Path place = anyPlace();
    Path thing = place.resolve(NAMES.get(random.nextInt(NAMES.size())));
    int kind = random.nextInt(7);
    if (Files.exists(thing, LinkOption.NOFOLLOW_LINKS) || !isFolder(place.getParent())) {
      return;
    }
    if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(place);
      if (!place.getParent().equals(world)) { // commands take an empty folder, of their own
        strangers.put(place, content(place));
      }
    }
    if (!isFolder(place)) {
      return;
    }
    Path target = photos.resolve("test/leaf/1.png");
    switch (kind) {
      case 0 -> Files.writeString(thing, "of " + random.nextInt());
      case 1 -> Files.createFile(thing);
      case 2 -> Files.createSymbolicLink(thing, target);
      case 3 -> Files.createSymbolicLink(thing, photos);
      case 4 -> Files.createSymbolicLink(thing, Path.of(random.nextBoolean() ? "gone" : "."));
      case 5 -> {
        Files.createDirectory(thing);
        strangers.put(
            Files.writeString(thing.resolve("in it"), "a folder"), content(thing.resolve("in it")));
      }
      default -> pipe(thing);
    }
    strangers.put(thing, content(thing));
    log.add("   somebody makes " + thing + ": " + content(thing));
  }

  private Path anyPlace() {
    int place = random.nextInt(PLACES.size() + runs().size());
    return place < PLACES.size()
        ? world.resolve(PLACES.get(place))
        : runs().get(place - PLACES.size());
  }

  private static boolean isFolder(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static void pipe(Path path) throws IOException {
    try {
      new ProcessBuilder("mkfifo", path.toString()).start().waitFor();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** The clock of the machine was wrong when a file was written, or is now. */
  private void jump() throws IOException {
    long years = random.nextInt(60) - 30;
    for (Path file : below(world.resolve("out"))) {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && random.nextInt(3) > 0) {
        long millis = System.currentTimeMillis() + Duration.ofDays(365 * years).toMillis();
        Files.setLastModifiedTime(file, FileTime.fromMillis(millis));
      }
    }
    log.add("   the clock jumps by %d years".formatted(years));
  }

  /** The stranger takes his things with him. */
  private void goAway() throws IOException {
    List<Path> things =
        strangers.keySet().stream().filter(path -> !path.startsWith(photos)).toList();
    for (Path thing : things.stream().sorted(Comparator.reverseOrder()).toList()) {
      Files.delete(thing);
      strangers.remove(thing);
    }
    log.add("   the stranger takes his things");
  }

  private static List<Path> below(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.sorted().toList();
    }
  }

  private static String content(Path path) {
    try {
      if (Files.isSymbolicLink(path)) {
        return "-> " + Files.readSymbolicLink(path);
      }
      if (Files.isDirectory(path)) {
        return "folder";
      }
      return Files.isRegularFile(path) ? new String(Files.readAllBytes(path), ISO_8859_1) : "pipe";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
