/** What the commands show on a terminal and how they end. */
package io.github.spd4j.examples.cli;
