/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32;
import org.deeplearning4j.core.storage.Persistable;

/**
 * A {@link HealthReport} as DL4J's storages keep it: in memory, in a file, or on its way to a
 * remote user interface.
 */
public final class HealthRecord implements Persistable {

  /** The type of these records in a storage. */
  public static final String TYPE_ID = "SpdHealth";

  /** The worker of these records in a storage. */
  public static final String WORKER_ID = "spd";

  private static final long serialVersionUID = 1L;

  /** The bytes of a checksum. */
  private static final int SUM = Integer.BYTES;

  private static final String DAMAGED = "a health record is damaged";

  /** The session it belongs to. */
  private String session;

  /** When it was made, in milliseconds. */
  private long timeStamp;

  /** The report, in the encoding of this package. */
  private byte[] encodedReport;

  /** An empty record, to be decoded into. */
  public HealthRecord() {}

  /**
   * A record of a report.
   *
   * @param session the session it belongs to
   * @param timeStamp when it was made, in milliseconds; unique within the session
   * @param report the report
   */
  public HealthRecord(String session, long timeStamp, HealthReport report) {
    Objects.requireNonNull(report, "report");
    this.session = session;
    this.timeStamp = timeStamp;
    this.encodedReport = HealthCodec.bytes(out -> HealthCodec.write(report, out));
  }

  /**
   * The report.
   *
   * @return a report equal to the one that was recorded
   * @throws java.io.UncheckedIOException if the record is damaged
   */
  public HealthReport report() {
    return HealthCodec.read(
        new ByteArrayInputStream(encodedReport),
        in -> {
          try {
            HealthReport report = HealthCodec.report(in);
            require(in.read() < 0);
            return report;
          } catch (IllegalArgumentException e) { // a figure that there is not
            throw new IOException(DAMAGED, e);
          }
        });
  }

  private static void require(boolean sound) throws IOException {
    if (!sound) {
      throw new IOException(DAMAGED);
    }
  }

  private static int sum(byte[] bytes) {
    CRC32 sum = new CRC32();
    sum.update(bytes);
    return (int) sum.getValue();
  }

  @Override
  public String getSessionID() {
    return session;
  }

  @Override
  public String getTypeID() {
    return TYPE_ID;
  }

  @Override
  public String getWorkerID() {
    return WORKER_ID;
  }

  @Override
  public long getTimeStamp() {
    return timeStamp;
  }

  @Override
  public int encodingLengthBytes() {
    return encode().length;
  }

  /** All of it, and its CRC-32. */
  @Override
  public byte[] encode() {
    byte[] content = content();
    return ByteBuffer.allocate(content.length + SUM).put(content).putInt(sum(content)).array();
  }

  private byte[] content() {
    return HealthCodec.bytes(
        out -> {
          out.writeUTF(session);
          out.writeLong(timeStamp);
          out.writeInt(encodedReport.length);
          out.write(encodedReport);
        });
  }

  @Override
  public void encode(ByteBuffer buffer) {
    buffer.put(encode());
  }

  @Override
  public void encode(OutputStream outputStream) throws IOException {
    outputStream.write(encode());
  }

  @Override
  public void decode(byte[] bytes) {
    decode(new ByteArrayInputStream(bytes));
  }

  @Override
  public void decode(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    decode(bytes);
  }

  @Override
  public void decode(InputStream inputStream) {
    HealthCodec.read(
        inputStream,
        in -> {
          session = in.readUTF();
          timeStamp = in.readLong();
          int length = in.readInt();
          encodedReport = in.readNBytes(Math.max(0, length));
          require(encodedReport.length == length);
          byte[] rest = in.readAllBytes();
          require(rest.length == SUM && ByteBuffer.wrap(rest).getInt() == sum(content()));
          return this;
        });
  }
}
