/** What the examples share: backbones, data, reports and the command line. */
package io.github.spd4j.examples;
