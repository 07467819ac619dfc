/**
 * The command line: {@link io.github.spd4j.cli.Main} lists the commands, each a class named after
 * it. Options, progress on a terminal and exit codes are handled here.
 *
 * <p>What a command does belongs to the module that does it. Nothing depends on this package but
 * commands of other modules, which implement {@link io.github.spd4j.cli.CommandExtension}.
 */
package io.github.spd4j.cli;
