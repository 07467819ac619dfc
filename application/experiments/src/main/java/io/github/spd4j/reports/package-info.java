/**
 * Files for people to read: self-contained HTML pages with charts and heat maps, and tables in
 * Markdown. The text of a particular report belongs to the package that writes it.
 */
package io.github.spd4j.reports;
