/**
 * A way out for processes that native libraries do not let end ({@link
 * io.github.spd4j.dl4j.NativeDestructors}).
 */
package io.github.spd4j.dl4j;
