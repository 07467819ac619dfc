/** Asks a trained network about images, and shows which places of an image decided. */
package io.github.spd4j.predictions;
