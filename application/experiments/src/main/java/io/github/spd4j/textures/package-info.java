/**
 * A set of textures that is drawn, not loaded: a dozen and more classes of the kind that the
 * Describable Textures Dataset has, in pure Java, the same bytes on every machine.
 *
 * <p>{@link io.github.spd4j.textures.TextureClass} says what a class looks like, {@link
 * io.github.spd4j.textures.TextureGenerator} makes an image of it, {@link
 * io.github.spd4j.textures.TextureSet} makes a data set of images, and {@link
 * io.github.spd4j.textures.TexturePictures} shows them. An image's histogram, colours and contrast
 * are drawn without regard to its class, so only the spatial structure tells it.
 *
 * <p>Networks, training and reports belong elsewhere.
 */
package io.github.spd4j.textures;
