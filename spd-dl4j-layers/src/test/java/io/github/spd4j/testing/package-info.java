/** What the tests share: tolerances by name, small networks, finite differences, oracles. */
package io.github.spd4j.testing;
