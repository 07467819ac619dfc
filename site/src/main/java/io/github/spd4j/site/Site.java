/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the site: every document as a page, pictures, formulas, the Javadoc. Fails if a link leads
 * nowhere.
 */
public final class Site {

  private static final List<String> TOP =
      List.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md");
  private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\\bid=\"([^\"]*)\"");

  private final Path root;
  private final Path out;
  private final String repository;
  private final Map<Path, Document> documents = new TreeMap<>();

  private Site(Path root, Path out, String repository) throws IOException {
    this.root = root;
    this.out = out;
    this.repository = repository;
    List<Path> sources = new ArrayList<>(TOP.stream().map(root::resolve).toList());
    try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(sources::add);
    }
    for (Path source : sources) {
      documents.put(root.relativize(source), Document.parse(Files.readString(source)));
    }
  }

  /**
   * Writes the site.
   *
   * @param arguments the repository's folder, that of the Javadoc, that of the site, and the
   *     address of the repository, for links to sources
   * @throws IOException if a file cannot be read or written
   */
  public static void main(String... arguments) throws IOException {
    Site site =
        new Site(
            Path.of(arguments[0]).toRealPath(),
            Files.createDirectories(Path.of(arguments[2])).toRealPath(),
            arguments[3]);
    site.copyFolder(Path.of(arguments[1]), "api");
    site.copyFolder(site.root.resolve("docs/images"), "docs/images");
    site.copyResource("site.css", "site.css");
    String katex = "/META-INF/resources/webjars/katex/" + katexVersion() + "/dist/";
    site.copyResource(katex + "katex.min.js", "katex/katex.min.js");
    site.copyResource(katex + "katex.min.css", "katex/katex.min.css");
    site.writePages();
    for (String font : site.fonts()) {
      site.copyResource(katex + font, "katex/" + font);
    }
    List<String> broken = site.brokenLinks();
    if (!broken.isEmpty()) {
      throw new IOException("Links that lead nowhere:\n" + String.join("\n", broken));
    }
    System.out.println("Open " + site.out.resolve("index.html"));
  }

  private static String katexVersion() throws IOException {
    try (InputStream properties =
        resource("/META-INF/maven/org.webjars.npm/katex/pom.properties")) {
      java.util.Properties values = new java.util.Properties();
      values.load(properties);
      return values.getProperty("version");
    }
  }

  private static InputStream resource(String name) throws IOException {
    InputStream found = Site.class.getResourceAsStream(name);
    if (found == null) {
      throw new IOException("No " + name + " on the class path");
    }
    return found;
  }

  private void copyResource(String name, String target) throws IOException {
    Path file = out.resolve(target);
    Files.createDirectories(file.getParent());
    try (InputStream in = resource(name)) {
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private void copyFolder(Path from, String target) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = out.resolve(target).resolve(from.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /** The fonts that KaTeX's style names, in the format that every browser of today reads. */
  private List<String> fonts() throws IOException {
    return Pattern.compile("fonts/[\\w-]+\\.woff2")
        .matcher(Files.readString(out.resolve("katex/katex.min.css")))
        .results()
        .map(found -> found.group())
        .distinct()
        .toList();
  }

  private void writePages() throws IOException {
    String template;
    try (InputStream in = resource("page.html")) {
      template = new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
    for (Map.Entry<Path, Document> entry : documents.entrySet()) {
      Path page = page(entry.getKey());
      String up = "../".repeat(page.getNameCount() - 1);
      String html =
          template
              .replace("{{title}}", Document.escape(entry.getValue().title()))
              .replace("{{up}}", up)
              .replace("{{pages}}", navigation(page, up))
              .replace("{{content}}", entry.getValue().html(link -> target(entry.getKey(), link)));
      Files.createDirectories(out.resolve(page).getParent());
      Files.writeString(out.resolve(page), html);
    }
  }

  private static Path page(Path document) {
    String name = document.getFileName().toString();
    return document.resolveSibling(
        name.equals("README.md") ? "index.html" : name.replace(".md", ".html"));
  }

  /** All pages, in the order of the table in docs/README.md. */
  private String navigation(Path current, String up) {
    Path index = Path.of("docs/README.md");
    Stream<Path> listed =
        documents.get(index).links().stream()
            .filter(link -> link.endsWith(".md"))
            .map(link -> index.resolveSibling(link).normalize());
    return Stream.of(
            Stream.of(Path.of("README.md"), index),
            listed,
            TOP.stream().map(Path::of),
            documents.keySet().stream())
        .flatMap(pages -> pages)
        .distinct()
        .map(
            document ->
                "<li><a href=\"%s\"%s>%s</a></li>"
                    .formatted(
                        up + unix(page(document)),
                        page(document).equals(current) ? " aria-current=\"page\"" : "",
                        Document.escape(documents.get(document).title())))
        .collect(Collectors.joining("\n"));
  }

  private static String unix(Path path) {
    return path.toString().replace('\\', '/');
  }

  /** Where a link of a document leads on the site: to a page of it, a picture, or a source. */
  private String target(Path document, String link) {
    if (link.matches("[a-z]+:.*") || link.startsWith("#")) {
      return link;
    }
    String[] parts = link.split("#", 2);
    Path file = root.relativize(root.resolve(document).resolveSibling(parts[0]).normalize());
    String fragment = parts.length == 2 ? "#" + parts[1] : "";
    if (documents.containsKey(file)) {
      Path from = page(document);
      Path to = page(file);
      return "../".repeat(from.getNameCount() - 1) + unix(to) + fragment;
    }
    if (file.startsWith("docs/images") && !Files.isDirectory(root.resolve(file))) {
      return parts[0];
    }
    return Files.exists(root.resolve(file))
        ? repository
            + (Files.isDirectory(root.resolve(file)) ? "/tree" : "/blob")
            + "/main/"
            + unix(file)
        : link; // found broken in the end
  }

  /** Links of the pages to files or headings that the site does not have. */
  private List<String> brokenLinks() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : documents.keySet()) {
      Path page = out.resolve(page(document));
      for (String link : find(LINK, Files.readString(page))) {
        if (link.matches("[a-z]+:.*")) {
          continue;
        }
        String[] parts = link.split("#", 2);
        Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.isRegularFile(file)
            || (parts.length == 2 && !find(ID, Files.readString(file)).contains(parts[1]))) {
          broken.add(document + ": " + link);
        }
      }
    }
    return broken;
  }

  private static TreeSet<String> find(Pattern pattern, String html) {
    return pattern
        .matcher(html)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
