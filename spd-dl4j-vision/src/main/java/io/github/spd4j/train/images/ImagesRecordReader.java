/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import java.io.DataInputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.datavec.api.conf.Configuration;
import org.datavec.api.records.Record;
import org.datavec.api.records.metadata.RecordMetaData;
import org.datavec.api.records.metadata.RecordMetaDataIndex;
import org.datavec.api.records.reader.BaseRecordReader;
import org.datavec.api.split.InputSplit;
import org.datavec.api.writable.IntWritable;
import org.datavec.api.writable.NDArrayWritable;
import org.datavec.api.writable.Writable;

/**
 * Any {@link LabelledImages} as a DataVec reader, to train a network of Deeplearning4j without
 * {@code TwoStageTrainer}:
 *
 * <pre>{@code
 * RecordReader reader = new ImagesRecordReader(images, classNames);
 * network.fit(new RecordReaderDataSetIterator(reader, 32, 1, classNames.size()));
 * }</pre>
 *
 * <p>A record is an image [1, channels, height, width] and the number of its class. Records come in
 * the order of the images. There is nothing to initialise.
 *
 * <p>Find damaged files first, for example with {@link io.github.spd4j.images.Pixels#check}: where
 * a reader throws, Deeplearning4j's prefetching thread ends and {@code fit} waits for ever.
 */
public final class ImagesRecordReader extends BaseRecordReader {

  private static final long serialVersionUID = 1L;

  private final transient LabelledImages images;
  private final List<String> classes;
  private Configuration conf;
  private int next;

  /**
   * A reader of images.
   *
   * @param images the images
   * @param classes the names of the classes, in the order of their numbers
   */
  public ImagesRecordReader(LabelledImages images, List<String> classes) {
    Objects.requireNonNull(images, "images");
    Objects.requireNonNull(classes, "classes");
    if (classes.size() != images.classes()) {
      throw new IllegalArgumentException(
          "expected the names of " + images.classes() + " classes, got " + classes.size());
    }
    this.images = images;
    this.classes = List.copyOf(classes);
  }

  @Override
  public void initialize(InputSplit split) {
    // The images are there already.
  }

  @Override
  public void initialize(Configuration configuration, InputSplit split) {
    setConf(configuration);
  }

  @Override
  public boolean hasNext() {
    return next < images.size();
  }

  @Override
  public List<Writable> next() {
    if (!hasNext()) {
      throw new NoSuchElementException("expected at most " + images.size() + " calls of next()");
    }
    return record(next++);
  }

  private List<Writable> record(int index) {
    List<Writable> record = new ArrayList<>();
    record.add(new NDArrayWritable(images.image(index)));
    record.add(new IntWritable(images.label(index)));
    invokeListeners(record);
    return record;
  }

  @Override
  public List<String> getLabels() {
    return classes;
  }

  @Override
  public void reset() {
    next = 0;
  }

  @Override
  public boolean resetSupported() {
    return true;
  }

  @Override
  public List<Writable> record(URI uri, DataInputStream stream) {
    throw new UnsupportedOperationException("images are read by their numbers, not from streams");
  }

  @Override
  public Record nextRecord() {
    int index = next;
    RecordMetaData place = new RecordMetaDataIndex(index, null, ImagesRecordReader.class);
    return new org.datavec.api.records.impl.Record(next(), place);
  }

  @Override
  public Record loadFromMetaData(RecordMetaData place) {
    int index = (int) ((RecordMetaDataIndex) place).getIndex();
    return new org.datavec.api.records.impl.Record(record(index), place);
  }

  @Override
  public List<Record> loadFromMetaData(List<RecordMetaData> places) {
    List<Record> records = new ArrayList<>();
    places.forEach(place -> records.add(loadFromMetaData(place)));
    return records;
  }

  @Override
  public void setConf(Configuration configuration) {
    conf = configuration;
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
