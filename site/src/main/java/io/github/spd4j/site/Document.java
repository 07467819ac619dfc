/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.site;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** A document in GitHub's Markdown, with formulas between dollars. */
final class Document {

  private static final List<TablesExtension> EXTENSIONS =
      List.of((TablesExtension) TablesExtension.create());

  /** Code, where a dollar is a dollar, or a formula: with two dollars in lines of its own. */
  private static final Pattern CODE_OR_FORMULA =
      Pattern.compile(
          "(?ms)^ *```.*?^ *```$|`[^`\\n]+`|\\$\\$(.+?)\\$\\$|\\$(?=\\S)([^$]+?)(?<=\\S)\\$");

  /** A formula while Markdown is read: no character of it means anything there. */
  private static final Pattern PLACE = Pattern.compile("\uE000(\\d+)\uE001");

  private final Node tree;
  private final List<String> formulas;

  private Document(Node tree, List<String> formulas) {
    this.tree = tree;
    this.formulas = formulas;
  }

  static Document parse(String markdown) {
    List<String> formulas = new ArrayList<>();
    String text =
        CODE_OR_FORMULA
            .matcher(markdown)
            .replaceAll(
                found -> {
                  boolean display = found.group(1) != null;
                  String formula = display ? found.group(1) : found.group(2);
                  if (formula == null) {
                    return Matcher.quoteReplacement(found.group());
                  }
                  formulas.add(
                      "<span class=\"formula%s\">%s</span>"
                          .formatted(display ? " display" : "", escape(formula.strip())));
                  return "\uE000" + (formulas.size() - 1) + "\uE001";
                });
    return new Document(Parser.builder().extensions(EXTENSIONS).build().parse(text), formulas);
  }

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** The first heading. */
  String title() {
    List<String> found = new ArrayList<>();
    tree.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Heading heading) {
            found.add(text(heading));
          }
        });
    return found.get(0);
  }

  /** Where its links lead, in their order. */
  List<String> links() {
    List<String> found = new ArrayList<>();
    tree.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Link link) {
            found.add(link.getDestination());
          }
        });
    return found;
  }

  /** The page, with other addresses for links and pictures. */
  String html(UnaryOperator<String> address) {
    Map<String, Integer> anchors = new HashMap<>();
    String html =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .attributeProviderFactory(
                context ->
                    (node, tag, attributes) -> {
                      if (node instanceof Heading heading) {
                        attributes.put("id", anchor(heading, anchors));
                      } else if (node instanceof Link link) {
                        attributes.put("href", address.apply(link.getDestination()));
                      } else if (node instanceof Image image) {
                        attributes.put("src", address.apply(image.getDestination()));
                      }
                    })
            .build()
            .render(tree);
    html =
        html.replace("<table>", "<div class=\"table\"><table>")
            .replace("</table>", "</table></div>");
    return PLACE
        .matcher(html)
        .replaceAll(
            found -> Matcher.quoteReplacement(formulas.get(Integer.parseInt(found.group(1)))));
  }

  /** As GitHub makes one of a heading. */
  private static String anchor(Heading heading, Map<String, Integer> taken) {
    String name =
        text(heading)
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{N} _-]", "")
            .replace(' ', '-');
    int times = taken.merge(name, 1, Integer::sum);
    return times == 1 ? name : name + "-" + (times - 1);
  }

  private static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString();
  }
}
