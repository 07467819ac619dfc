/**
 * Self-contained HTML reports: pages, charts and heat maps, everything inline. What a particular
 * report says belongs to the example that writes it.
 */
package io.github.spd4j.reports;
