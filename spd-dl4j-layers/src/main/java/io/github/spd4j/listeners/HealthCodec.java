/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Reports as bytes: plain numbers and names, nothing that could execute. */
final class HealthCodec {

  private HealthCodec() {}

  /** Writes something. */
  interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  /** Reads something. */
  interface Reading<T> {
    T from(DataInputStream in) throws IOException;
  }

  static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writing.to(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static <T> T read(InputStream bytes, Reading<T> reading) {
    try {
      return reading.from(new DataInputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void write(HealthReport report, DataOutputStream out) throws IOException {
    out.writeInt(report.iteration());
    out.writeInt(report.epoch());
    out.writeBoolean(report.gradientNorm().isPresent());
    out.writeDouble(report.gradientNorm().orElse(0));
    out.writeInt(report.layers().size());
    for (LayerHealth layer : report.layers()) {
      write(layer, out);
    }
    out.writeInt(report.warnings().size());
    for (String warning : report.warnings()) {
      out.writeUTF(warning);
    }
  }

  private static void write(LayerHealth layer, DataOutputStream out) throws IOException {
    out.writeUTF(layer.name());
    out.writeUTF(layer.type());
    out.writeInt(layer.figures().size());
    for (Map.Entry<Figure, Double> figure : layer.figures().entrySet()) {
      out.writeUTF(figure.getKey().name());
      out.writeDouble(figure.getValue());
    }
  }

  static HealthReport report(DataInputStream in) throws IOException {
    int iteration = in.readInt();
    int epoch = in.readInt();
    boolean hasNorm = in.readBoolean();
    double norm = in.readDouble();
    List<LayerHealth> layers = list(in, HealthCodec::layer);
    List<String> warnings = list(in, stream -> stream.readUTF());
    return new HealthReport(iteration, epoch, hasNorm ? norm : null, layers, warnings);
  }

  private static LayerHealth layer(DataInputStream in) throws IOException {
    String name = in.readUTF();
    String type = in.readUTF();
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    list(in, stream -> figures.put(Figure.valueOf(stream.readUTF()), stream.readDouble()));
    return new LayerHealth(name, type, figures);
  }

  private static <T> List<T> list(DataInputStream in, Reading<T> reading) throws IOException {
    int count = in.readInt();
    List<T> result = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      result.add(reading.from(in));
    }
    return result;
  }
}
