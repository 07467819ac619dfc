/**
 * {@code spd bench}: the head, and VGG-16's convolutions, beside PyTorch's.
 *
 * <p>Both sides compute the same from the same arrays, which is checked before anything is timed,
 * and take turns. Benchmarks of single parts, with JMH, lie among the tests.
 *
 * <p>Nothing depends on this room: the command line finds the command as a service.
 */
package io.github.spd4j.benchmarks;
