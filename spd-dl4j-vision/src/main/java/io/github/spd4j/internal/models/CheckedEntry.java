/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.models;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;

/** The content of an entry; its end is only reached if the checksum is right. */
final class CheckedEntry extends InputStream {

  private final InputStream content;
  private final ZipEntry entry;
  private final CRC32 sum = new CRC32();

  CheckedEntry(InputStream content, ZipEntry entry) {
    this.content = content;
    this.entry = entry;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = content.read(bytes, offset, length);
    if (read > 0) {
      sum.update(bytes, offset, read);
    } else if (read < 0 && sum.getValue() != entry.getCrc()) {
      throw new IOException("its checksum is wrong");
    }
    return read;
  }

  /** Fails unless nothing follows what was read. */
  static void requireEnd(InputStream in) throws IOException {
    if (in.read() >= 0) {
      throw new IOException("it is longer than it should be");
    }
  }

  @Override
  public void close() throws IOException {
    content.close();
  }
}
