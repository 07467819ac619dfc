/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.util.concurrent.Callable;

/**
 * A command of another module: a class with picocli's {@code @Command} that is named in {@code
 * META-INF/services/io.github.spd4j.cli.CommandExtension}. Whatever is on the class path becomes a
 * command of {@link Main}.
 */
public interface CommandExtension extends Callable<Integer> {}
