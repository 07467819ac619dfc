/** The experiments on fine-grained classes: CUB-200-2011, FGVC-Aircraft, folders of images. */
package io.github.spd4j.examples.finegrained;
