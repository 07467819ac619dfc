/**
 * A web service and a page for one model: {@code ./spd serve}.
 *
 * <p>What belongs here is HTTP: end points, limits, who may ask. How images become answers belongs
 * to {@link io.github.spd4j.predictions}.
 */
package io.github.spd4j.serve;
