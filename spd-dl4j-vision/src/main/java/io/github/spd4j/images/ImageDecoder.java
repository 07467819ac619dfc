/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.bytedeco.leptonica.global.lept.L_SEVERITY_NONE;
import static org.bytedeco.leptonica.global.lept.pixConvertTo32;
import static org.bytedeco.leptonica.global.lept.pixDestroy;
import static org.bytedeco.leptonica.global.lept.pixReadMemJpeg;
import static org.bytedeco.leptonica.global.lept.setMsgSeverity;
import static org.bytedeco.opencv.global.opencv_core.CV_16U;
import static org.bytedeco.opencv.global.opencv_core.CV_8U;
import static org.bytedeco.opencv.global.opencv_core.CV_8UC3;
import static org.bytedeco.opencv.global.opencv_core.CV_8UC4;
import static org.bytedeco.opencv.global.opencv_core.flip;
import static org.bytedeco.opencv.global.opencv_core.mixChannels;
import static org.bytedeco.opencv.global.opencv_core.transpose;
import static org.bytedeco.opencv.global.opencv_imgcodecs.IMREAD_ANYDEPTH;
import static org.bytedeco.opencv.global.opencv_imgcodecs.IMREAD_COLOR;
import static org.bytedeco.opencv.global.opencv_imgcodecs.IMREAD_IGNORE_ORIENTATION;
import static org.bytedeco.opencv.global.opencv_imgcodecs.imdecode;
import static org.bytedeco.opencv.global.opencv_imgproc.INTER_AREA;
import static org.bytedeco.opencv.global.opencv_imgproc.resize;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.leptonica.PIX;
import org.bytedeco.opencv.opencv_core.Mat;
import org.bytedeco.opencv.opencv_core.Size;

/**
 * From the bytes of an image file to its colours, or to an exception that says what is wrong.
 *
 * <p>The decoders are those of DataVec: OpenCV, and leptonica for JPEG, because it counts what
 * libjpeg complains about; OpenCV makes up what is missing of a photograph and says nothing. Java's
 * own is asked whether a complaint is a damage. It also reads GIF, whose colours DataVec mixes up,
 * and TIFF, where OpenCV refuses a sound file now and then; OpenCV gets what it does not know.
 *
 * <p>Memory is bounded: sizes are read before anything is decoded, large pictures are reduced, and
 * decoders wait for each other where they would need too much together.
 */
final class ImageDecoder {

  /** A larger picture is refused. */
  static final long MOST_PIXELS = 150_000_000;

  /** A larger picture is reduced by a whole number. */
  static final long REDUCED_TO = 4_000_000;

  /** A longer file is refused. */
  private static final int MOST_BYTES = 1 << 29;

  /** What decoders may need at a time, in millions of pixels. One picture always gets it. */
  private static final int MOST_AT_A_TIME = (int) (MOST_PIXELS / 1_000_000);

  private static final Semaphore MEMORY = new Semaphore(MOST_AT_A_TIME, true);

  private static final int LONGEST_REASON = 200;

  /** Programs write about ten. */
  private static final int MOST_SCANS = 200;

  private static final int[] JPEG_REDUCTIONS = {1, 2, 4, 8};

  /** How many rows of Java's pictures are converted at a time. */
  private static final int ROWS = 64;

  /** From 16 bits to 8. */
  private static final double HIGH_BYTE = 1 / 257.0;

  static {
    setMsgSeverity(L_SEVERITY_NONE); // what leptonica would print becomes an exception
  }

  private ImageDecoder() {}

  /** What is made of the content of a file and of what its first bytes say. */
  @FunctionalInterface
  interface Use<T> {
    T of(byte[] bytes, ImageHeader header) throws IOException;
  }

  /** Calls a function with the colours of a file, 8 bits, BGR. */
  static <T> T decode(Path file, Function<Mat, T> function) throws IOException {
    return use(file, colours(function));
  }

  /** Calls a function with the colours of a stream, 8 bits, BGR. */
  static <T> T decode(InputStream stream, Function<Mat, T> function) throws IOException {
    return use(stream, colours(function));
  }

  private static <T> Use<T> colours(Function<Mat, T> function) {
    return (bytes, header) -> {
      try (Mat image = decode(bytes, header)) {
        return function.apply(image);
      }
    };
  }

  /** Calls something with the content of a file, while there is memory to decode it. */
  static <T> T use(Path file, Use<T> use) throws IOException {
    boolean isClosed = Files.exists(file) && !Files.isReadable(file);
    if (isClosed || !Files.isRegularFile(file)) {
      String what = Files.isDirectory(file) ? "a folder" : "a file";
      String reason = isClosed ? what + " that cannot be read" : "no such image file";
      throw new NoSuchFileException(file.toString(), null, reason);
    }
    try (InputStream stream = Files.newInputStream(file)) {
      return use(stream, use);
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static <T> T use(InputStream stream, Use<T> use) throws IOException {
    try {
      byte[] bytes = stream.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw new IOException("expected a file of at most " + MOST_BYTES + " bytes, got more");
      }
      ImageHeader header = ImageHeader.of(bytes);
      requireSize(header);
      int millions = (int) Math.min(MOST_AT_A_TIME, 1 + header.pixels() / 1_000_000);
      MEMORY.acquire(millions);
      try {
        return use.of(bytes, header);
      } finally {
        MEMORY.release(millions);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted();
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new IOException("cannot be read as an image: " + reason(e), e);
    } catch (OutOfMemoryError e) {
      throw new IOException(
          "cannot be read as an image: memory is short; give Java more, with -Xmx", e);
    }
  }

  private static InterruptedIOException interrupted() {
    return new InterruptedIOException("interrupted while reading an image");
  }

  static void requireNotInterrupted() throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted();
    }
  }

  /** The decoders answer damaged files with exceptions of many kinds. */
  private static String reason(Exception e) {
    if (e instanceof RuntimeException || e.getMessage() == null) {
      return "damaged or truncated";
    }
    String line = e.getMessage().lines().findFirst().orElse("");
    return line.length() > LONGEST_REASON ? line.substring(0, LONGEST_REASON) + "…" : line;
  }

  private static void requireSize(ImageHeader header) throws IOException {
    if (header.pixels() > MOST_PIXELS) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%d × %d pixels are too many, at most %d million; make it smaller",
              header.width,
              header.height,
              MOST_PIXELS / 1_000_000));
    }
  }

  private static Mat decode(byte[] bytes, ImageHeader header) throws IOException {
    return upright(asStored(bytes, header), header.orientation);
  }

  /** Not turned yet. */
  private static Mat asStored(byte[] bytes, ImageHeader header) throws IOException {
    switch (header.format) {
      case JPEG:
        return jpeg(bytes, header);
      case TIFF:
        return reduced(tiff(header.orientation == 1 ? bytes : Tiff.asUpright(bytes)));
      case GIF:
        return reduced(mat(JavaDecoder.decode(bytes, 1)));
      default:
        return reduced(openCv(bytes));
    }
  }

  private static Mat jpeg(byte[] bytes, ImageHeader header) throws IOException {
    if (ImageHeader.scans(bytes) > MOST_SCANS) { // each takes time, and few bytes
      throw new IOException("expected at most " + MOST_SCANS + " scans, got more");
    }
    int reduction = 8;
    for (int candidate : JPEG_REDUCTIONS) {
      if (header.pixels() <= REDUCED_TO * candidate * candidate) {
        reduction = candidate;
        break;
      }
    }
    try (BytePointer data = new BytePointer(bytes);
        IntPointer complaints = new IntPointer(1L)) {
      complaints.put(0);
      PIX pix = pixReadMemJpeg(data, bytes.length, 0, reduction, complaints, 0);
      if (pix == null || pix.isNull() || complaints.get() > 0) {
        pixDestroy(pix);
        // Slower, but it tells damage from a few bytes too many.
        return mat(JavaDecoder.decode(bytes, reduction));
      }
      PIX colours = pixConvertTo32(pix); // from grey too
      pixDestroy(pix);
      Mat image = mat(colours);
      pixDestroy(colours);
      return image;
    }
  }

  /** Leptonica keeps a pixel as one number, red highest. */
  private static Mat mat(PIX pix) {
    boolean redFirst = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    int[] places = redFirst ? new int[] {2, 0, 1, 1, 0, 2} : new int[] {1, 0, 2, 1, 3, 2};
    Mat image = new Mat(pix.h(), pix.w(), CV_8UC3);
    try (Mat all = new Mat(pix.h(), pix.w(), CV_8UC4, pix.data(), 4L * pix.wpl())) {
      mixChannels(all, 1, image, 1, places, 3);
    }
    return image;
  }

  private static Mat tiff(byte[] bytes) throws IOException {
    Tiff.requireWhole(bytes); // neither decoder misses a part
    Tiff.requireKnown(bytes);
    try {
      return mat(JavaDecoder.decode(bytes, 1), rows -> Tiff.pixels(bytes, rows));
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      if (Tiff.hasPlanes(bytes)) { // OpenCV takes one for all
        throw e;
      }
      return openCv(bytes);
    }
  }

  private static Mat openCv(byte[] bytes) throws IOException {
    Mat image = openCv(bytes, IMREAD_COLOR | IMREAD_ANYDEPTH | IMREAD_IGNORE_ORIENTATION);
    if (image.depth() == CV_16U) {
      image.convertTo(image, CV_8U, HIGH_BYTE, 0);
    }
    if (image.depth() != CV_8U) {
      throw new IOException("expected 8 or 16 bits for each colour, got other numbers");
    }
    return image;
  }

  /** An image as OpenCV reads it; the flags are OpenCV's. */
  static Mat openCv(byte[] bytes, int flags) throws IOException {
    try (BytePointer data = new BytePointer(bytes);
        Mat row = new Mat(1, bytes.length, CV_8U, data)) {
      Mat image = imdecode(row, flags);
      if (image == null || image.empty()) {
        throw new IOException("damaged, truncated, or of an unusual kind");
      }
      return image;
    }
  }

  /** Averages squares of pixels, if there are many. */
  private static Mat reduced(Mat image) {
    long pixels = (long) image.rows() * image.cols();
    int factor = (int) Math.ceil(Math.sqrt((double) pixels / REDUCED_TO));
    if (factor > 1) {
      int width = Math.max(1, image.cols() / factor);
      int height = Math.max(1, image.rows() / factor);
      Mat small = new Mat();
      resize(image, small, new Size(width, height), 0, 0, INTER_AREA);
      image.close();
      return small;
    }
    return image;
  }

  /** Turns an image as the camera was held. */
  private static Mat upright(Mat image, int orientation) {
    if (orientation > 4) {
      Mat transposed = new Mat();
      transpose(image, transposed);
      image.close();
      image = transposed;
    }
    switch (orientation) {
      case 2:
      case 6:
        flip(image, image, 1);
        break;
      case 3:
      case 7:
        flip(image, image, -1);
        break;
      case 4:
      case 8:
        flip(image, image, 0);
        break;
      default:
        break;
    }
    return image;
  }

  private static Mat mat(BufferedImage image) throws InterruptedIOException {
    return mat(image, Pixels::of);
  }

  private static Mat mat(BufferedImage image, Function<BufferedImage, Pixels> colours)
      throws InterruptedIOException {
    int width = image.getWidth();
    int height = image.getHeight();
    Mat mat = new Mat(height, width, CV_8UC3);
    byte[] row = new byte[3 * width];
    for (int y = 0; y < height; y += ROWS) {
      requireNotInterrupted();
      int rows = Math.min(ROWS, height - y);
      float[][] planes = colours.apply(image.getSubimage(0, y, width, rows)).planes();
      for (int r = 0; r < rows; r++) {
        for (int i = 0; i < row.length; i++) {
          row[i] = (byte) Math.round(planes[i % 3][r * width + i / 3]);
        }
        mat.ptr(y + r).put(row);
      }
    }
    return mat;
  }
}
