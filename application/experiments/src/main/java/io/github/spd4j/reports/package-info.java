/**
 * Files that are written for readers: self-contained HTML pages with charts and heat maps, and
 * tables in Markdown. What a particular report says belongs to the room that writes it.
 */
package io.github.spd4j.reports;
