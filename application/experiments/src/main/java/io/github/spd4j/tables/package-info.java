/** The paper's table beside the results of runs, as a command and for other commands. */
package io.github.spd4j.tables;
