/** The experiments on textures: DTD, FMD, KTH-TIPS-2b and KTH-TIPS. */
package io.github.spd4j.examples.texture;
