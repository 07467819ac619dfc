/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.internal.files.Digest;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The file of a backbone, and its session. All networks with the same file share one; the session
 * is closed when the last of them is gone.
 */
public final class OnnxFile {

  private static final Map<String, WeakReference<OnnxFile>> KNOWN = new ConcurrentHashMap<>();

  private final byte[] bytes;
  private final String digest;
  private final int[] size;
  private final boolean takesOne;
  private OnnxSession session;

  private OnnxFile(byte[] bytes, String digest) throws IOException {
    CheckedGraph graph = CheckedGraph.read(bytes);
    OnnxRules.require(
        graph.outputs().size() == 1,
        "expected an ONNX file with one output, got %s",
        graph.outputs().size());
    this.bytes = bytes;
    this.digest = digest;
    this.size = graph.size();
    this.takesOne = graph.takesOne();
  }

  /**
   * A file that is checked, unless it is known.
   *
   * @param bytes a file with one output, not to be changed
   * @return the file
   * @throws IOException if it is not safe, or takes no images
   */
  public static OnnxFile of(byte[] bytes) throws IOException {
    String digest = Digest.of(bytes);
    OnnxFile known = known(digest);
    if (known != null) {
      return known;
    }
    OnnxFile file = new OnnxFile(bytes, digest);
    KNOWN.values().removeIf(reference -> reference.get() == null);
    KNOWN.put(digest, new WeakReference<>(file));
    return file;
  }

  /**
   * A file that some network of this process has.
   *
   * @param digest its SHA-256
   * @return the file, or null
   */
  public static OnnxFile known(String digest) {
    WeakReference<OnnxFile> reference = KNOWN.get(digest);
    return reference == null ? null : reference.get();
  }

  /**
   * The bytes.
   *
   * @return not to be changed
   */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * What tells it from others.
   *
   * @return its SHA-256
   */
  public String digest() {
    return digest;
  }

  /**
   * The size that images must have.
   *
   * @return height and width; 0 where any will do
   */
  public int[] size() {
    return size.clone();
  }

  /**
   * Whether it takes one image at a time.
   *
   * @return false if it takes any number
   */
  public boolean takesOne() {
    return takesOne;
  }

  /**
   * Computes the output.
   *
   * @param images [N, 3, H, W], FLOAT
   * @return a new array
   */
  public INDArray run(INDArray images) {
    try {
      return session().run(images).get(0);
    } finally {
      Reference.reachabilityFence(this); // the session closes when nothing refers to its file
    }
  }

  private synchronized OnnxSession session() {
    if (session == null) {
      try {
        OnnxSession opened = new OnnxSession(bytes);
        OnnxSession.closeWith(opened, this);
        session = opened;
      } catch (IOException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    }
    return session;
  }
}
