/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.models;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The entries of a model file. Each is read whole, against its checksum and within bounds: what is
 * inflated is counted, and the size that the file claims is not believed.
 */
public final class ModelArchive implements Closeable {

  private static final int MOST_ENTRIES = 1000;

  /** The most bytes of an entry of text. */
  public static final int LONGEST_TEXT = 16 << 20;

  /** Of a file within the file, less than an array may have. */
  private static final int LONGEST_BYTES = 2_000_000_000;

  private static final long SMALL = 64L << 20;

  /** Weights hardly shrink; what shrank by more than this was made to fill memory. */
  private static final long LARGEST_RATIO = 200;

  private final Path file;
  private final ZipFile zip;
  private final Map<String, ZipEntry> entries = new LinkedHashMap<>();

  private ModelArchive(Path file) throws IOException {
    this.file = file;
    this.zip = new ZipFile(file.toFile());
  }

  /**
   * Opens a file and lists its entries.
   *
   * @param file a zip
   * @return the open archive
   * @throws IOException if it is no zip, or has an entry twice
   */
  public static ModelArchive open(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("expected a model file, got " + file);
    }
    ModelArchive archive;
    try {
      archive = new ModelArchive(file);
    } catch (IOException | IllegalArgumentException e) { // the latter if a name is no UTF-8
      throw new IOException(file + ": expected a whole zip file: " + e.getMessage(), e);
    }
    try {
      archive.list();
      return archive;
    } catch (IOException | RuntimeException e) {
      archive.close();
      throw e;
    }
  }

  /**
   * Adds an entry of text to a zip.
   *
   * @param zip what is written
   * @param name the entry
   * @param text what {@link #text} is to read
   * @throws IOException if that fails
   */
  public static void put(ZipOutputStream zip, String name, String text) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Adds an entry of any bytes to a zip.
   *
   * @param zip what is written
   * @param name the entry
   * @param bytes what {@link #bytes} is to read
   * @throws IOException if that fails
   */
  public static void put(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(bytes);
  }

  /**
   * Adds an array to a zip, in the bytes of {@code Nd4j.write}.
   *
   * @param zip what is written
   * @param name the entry
   * @param array what {@link #vector} is to read
   * @throws IOException if that fails
   */
  public static void put(ZipOutputStream zip, String name, INDArray array) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(zip, 1 << 16));
    StoredVector.write(array, out);
    out.flush();
  }

  private void list() throws IOException {
    if (zip.size() > MOST_ENTRIES) {
      throw refused("expected at most " + MOST_ENTRIES + " entries, got " + zip.size());
    }
    for (ZipEntry entry : Collections.list(zip.entries())) {
      if (entries.put(entry.getName(), entry) != null) {
        throw refused("expected each entry once, got two of " + quoted(entry.getName()));
      }
    }
  }

  /**
   * The names of all entries.
   *
   * @return a set that cannot be changed
   */
  public Set<String> names() {
    return Collections.unmodifiableSet(entries.keySet());
  }

  /**
   * Reads text.
   *
   * @param name the entry
   * @return at most 16 MiB of UTF-8
   * @throws IOException if the entry is missing, damaged, or something else
   */
  public String text(String name) throws IOException {
    return read(
        name,
        in -> {
          byte[] bytes = in.readNBytes(LONGEST_TEXT);
          CheckedEntry.requireEnd(in);
          return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        });
  }

  /**
   * Reads any bytes.
   *
   * @param name the entry
   * @return all of it; its length is bounded by that of the file
   * @throws IOException if the entry is missing, damaged, or far larger than the file
   */
  public byte[] bytes(String name) throws IOException {
    long most = Math.max(SMALL, Math.multiplyExact(LARGEST_RATIO, Files.size(file)));
    return read(
        name,
        in -> {
          byte[] bytes = in.readNBytes((int) Math.min(most, LONGEST_BYTES));
          CheckedEntry.requireEnd(in);
          return bytes;
        });
  }

  /**
   * Reads a vector that {@code Nd4j.write} stored.
   *
   * @param name the entry
   * @param least the smallest length that is accepted
   * @param most the largest length that is accepted
   * @return an array [n] or [1, n] of finite numbers
   * @throws IOException if the entry is missing, damaged, or something else
   */
  public INDArray vector(String name, long least, long most) throws IOException {
    long fileSize = Files.size(file);
    return read(name, in -> new StoredVector(new DataInputStream(in)).read(least, most, fileSize));
  }

  private <T> T read(String name, Reading<T> reading) throws IOException {
    ZipEntry entry = entries.get(name);
    if (entry == null) {
      throw refused("expected an entry " + name + ", got none");
    }
    try (InputStream in =
        new BufferedInputStream(new CheckedEntry(zip.getInputStream(entry), entry), 1 << 16)) {
      return reading.read(in);
    } catch (IOException e) {
      String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new IOException(file + ": " + name + " is no good: " + reason, e);
    }
  }

  /** Makes something of an entry, and reads it to its end. */
  private interface Reading<T> {
    T read(InputStream in) throws IOException;
  }

  /**
   * A refusal that names the file.
   *
   * @param reason what was expected and found
   * @return what is to be thrown
   */
  public IOException refused(String reason) {
    return new IOException(file + ": " + reason);
  }

  /**
   * A text from the file for a message.
   *
   * @param text any text
   * @return the text in quotes, short and on one line
   */
  public static String quoted(String text) {
    String plain = text.replaceAll("\\p{Cntrl}", "?");
    return '"' + (plain.length() > 80 ? plain.substring(0, 80) + "…" : plain) + '"';
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
