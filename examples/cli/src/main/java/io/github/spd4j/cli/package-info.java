/** The program behind {@code ./spd}: a list of the commands of the example modules. */
package io.github.spd4j.cli;
