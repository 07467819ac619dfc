/**
 * The documents and the Javadoc as one static site, which needs no network: {@link
 * io.github.spd4j.site.Site}.
 */
package io.github.spd4j.site;
