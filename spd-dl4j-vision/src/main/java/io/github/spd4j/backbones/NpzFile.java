/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.internal.files.RegularFile;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The arrays of an {@code .npz} file of NumPy, little-endian float32 in C order, compressed or not.
 * ND4J reads such files too, but in native code that a damaged file can crash.
 */
final class NpzFile implements Closeable {

  /** Stands for any length in a shape that is asked for. */
  static final long ANY = -1;

  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  private static final Pattern HEADER =
      Pattern.compile(
          "\\{'descr': '<f4', 'fortran_order': False, 'shape': \\(([0-9, ]*)\\), \\}\\s*");

  private final Path file;
  private final ZipFile zip;

  private NpzFile(Path file, ZipFile zip) {
    this.file = file;
    this.zip = zip;
  }

  /**
   * Opens a file.
   *
   * @throws IOException if there is no such file, or it is no zip
   */
  static NpzFile open(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new NoSuchFileException(
          file.toString(), null, "no such file; expected an .npz file of NumPy with the weights");
    }
    try {
      return new NpzFile(file, new ZipFile(RegularFile.require(file).toFile()));
    } catch (ZipException e) {
      throw new IOException(
          file + ": expected an .npz file of NumPy, got what is no zip: " + e.getMessage(), e);
    }
  }

  /**
   * Reads an array.
   *
   * @param name its name
   * @param shape the shape that it must have; {@link #ANY} for a length that is not known before
   * @return the array, FLOAT
   * @throws IOException if there is none, or it has another shape or type, or is damaged
   */
  INDArray array(String name, long... shape) throws IOException {
    ZipEntry entry = zip.getEntry(name + ".npy");
    if (entry == null) {
      throw new IOException(file + ": expected an array " + name + ", got none");
    }
    CRC32 checksum = new CRC32();
    try (DataInputStream in =
        new DataInputStream(new CheckedInputStream(zip.getInputStream(entry), checksum))) {
      String header = header(in);
      Matcher parts = HEADER.matcher(header);
      if (!parts.matches()) {
        throw new IOException("expected little-endian float32 in C order, got " + header.strip());
      }
      long[] stored =
          Arrays.stream(parts.group(1).split("[, ]+"))
              .filter(length -> !length.isEmpty())
              .mapToLong(Long::parseLong)
              .toArray();
      requireShape(stored, shape);
      float[] values = values(in, stored);
      if (checksum.getValue() != entry.getCrc()) { // a ZipFile does not compare it
        throw new IOException("expected another checksum: the file is damaged");
      }
      return Nd4j.createFromArray(values).reshape(stored);
    } catch (IOException | ArithmeticException | NumberFormatException e) {
      throw new IOException(file + ": " + name + ": " + e.getMessage(), e);
    }
  }

  private static String header(DataInputStream in) throws IOException {
    byte[] start = in.readNBytes(MAGIC.length + 2); // and the version, two bytes
    if (start.length < MAGIC.length + 2
        || Arrays.mismatch(start, 0, MAGIC.length, MAGIC, 0, MAGIC.length) >= 0) {
      throw new IOException("expected an array of NumPy, got something else");
    }
    boolean first = start[MAGIC.length] == 1; // later versions have four bytes for the length
    int length = Short.toUnsignedInt(Short.reverseBytes(in.readShort()));
    if (!first && in.readShort() != 0) {
      throw new IOException("expected a header of less than 64 kB, got a longer one");
    }
    return new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
  }

  private static void requireShape(long[] stored, long... wanted) throws IOException {
    boolean fits = stored.length == wanted.length;
    for (int i = 0; fits && i < wanted.length; i++) {
      fits = stored[i] > 0 && (wanted[i] == ANY || wanted[i] == stored[i]);
    }
    if (!fits) {
      String shape = Arrays.toString(wanted).replace(String.valueOf(ANY), "any");
      throw new IOException("expected the shape " + shape + ", got " + Arrays.toString(stored));
    }
  }

  private static float[] values(DataInputStream in, long... shape) throws IOException {
    int count = Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
    int expected = Math.multiplyExact(count, Float.BYTES);
    byte[] bytes = in.readNBytes(expected);
    if (bytes.length < expected || in.read() >= 0) {
      throw new EOFException("expected " + expected + " bytes of numbers, got fewer or more");
    }
    float[] values = new float[count];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
    return values;
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
