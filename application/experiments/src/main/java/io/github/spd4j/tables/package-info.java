/**
 * The paper's table beside the results of runs. How a method or a data set is run belongs to {@link
 * io.github.spd4j.experiments}.
 */
package io.github.spd4j.tables;
