/** The quickstart: textures made by a program, a small backbone, three heads, one report. */
package io.github.spd4j.quickstart;
