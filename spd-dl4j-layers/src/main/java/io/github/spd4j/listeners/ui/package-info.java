/**
 * The health of the SPD layers as a page of DL4J's user interface.
 *
 * <p>This is the only package that needs {@code deeplearning4j-ui}, which is optional. Nothing in
 * the library refers to it: the user interface finds its module as a service.
 */
package io.github.spd4j.listeners.ui;
