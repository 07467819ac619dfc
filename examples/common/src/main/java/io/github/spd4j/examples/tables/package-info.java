/** The paper's table beside the results of runs. */
package io.github.spd4j.examples.tables;
