/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.SplitFiles;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.Views;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.TinyTask;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.plan.Stage;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import javax.imageio.ImageIO;
import org.datavec.api.io.labels.ParentPathLabelGenerator;
import org.datavec.api.records.Record;
import org.datavec.api.split.FileSplit;
import org.datavec.image.recordreader.ImageRecordReader;
import org.datavec.image.transform.FlipImageTransform;
import org.datavec.image.transform.RandomCropTransform;
import org.deeplearning4j.datasets.datavec.RecordReaderDataSetIterator;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

/** What users have of DataVec becomes {@link LabelledImages}, and back. */
class DataVecImagesTest {

  private static final int SIZE = 6;

  private static final ParentPathLabelGenerator LABELS = new ParentPathLabelGenerator();

  @TempDir Path folder;

  /** Three pictures of each class, none like another. */
  @BeforeEach
  void draw() throws IOException {
    Random random = new Random(3);
    for (String name : List.of("bark", "sand")) {
      Files.createDirectory(folder.resolve(name));
      for (int i = 0; i < 3; i++) {
        BufferedImage picture = new BufferedImage(9, 8, BufferedImage.TYPE_INT_RGB);
        for (int k = 0; k < 72; k++) {
          picture.setRGB(k % 9, k / 9, random.nextInt(1 << 24));
        }
        ImageIO.write(picture, "png", folder.resolve(name).resolve(i + ".png").toFile());
      }
    }
  }

  @Test
  void aSplitIsTheSameSetHoweverItShuffles() throws IOException {
    FileImages images = split(new FileSplit(folder.toFile(), new Random(1)));
    FileImages others = split(new FileSplit(folder.toFile(), new Random(2)));
    assertThat(images.size()).isEqualTo(6);
    assertThat(images.classes()).isEqualTo(2);
    for (int i = 0; i < 6; i++) {
      assertThat(images.label(i)).isEqualTo(i / 3);
      assertThat(others.name(i)).isEqualTo(images.name(i));
      assertThat(others.image(i)).isEqualTo(images.image(i));
    }
    Pixels first = Pixels.read(folder.resolve("bark/0.png")).resize(SIZE, SIZE);
    assertThat(images.image(0)).isEqualTo(PixelFormat.CAFFE.array(first));
    assertThat(images.variant(0, 7)).isEqualTo(images.image(0));
  }

  @Test
  void aPartOfADataSetKeepsTheNumbersOfItsClasses() {
    FileSplit sand = new FileSplit(folder.resolve("sand").toFile());
    assertThat(SplitFiles.classes(LABELS, sand)).containsExactly("sand");
    List<String> all = SplitFiles.classes(LABELS, sand, new FileSplit(folder.toFile()));
    assertThat(all).containsExactly("bark", "sand");
    FileImages images = images(sand, all);
    assertThat(images.label(0)).isEqualTo(1);
    assertThatThrownBy(() -> SplitFiles.of(sand, LABELS, List.of("bark")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected one of the classes [bark], got sand");
  }

  @Test
  void anotherContentHasAnotherName() throws IOException {
    FileImages images = split(new FileSplit(folder.toFile()));
    String before = images.name(0);
    Files.write(folder.resolve("bark/0.png"), new byte[9]);
    assertThat(images.name(0)).isNotEqualTo(before);
    assertThatThrownBy(() -> images.image(0)).hasMessageContaining("0.png: cannot be read");
  }

  @Test
  void aTransformMakesVariantsThatDependOnTheirSeedAlone() {
    FileImages plain = split(new FileSplit(folder.toFile()));
    FileImages images = plain.withVariants(new FlipImageTransform(new Random()));
    Set<INDArray> variants = new HashSet<>();
    for (long seed = 0; seed < 10; seed++) {
      INDArray variant = images.variant(2, seed);
      assertThat(variant.shape()).containsExactly(1, 3, SIZE, SIZE);
      assertThat(images.variant(2, seed)).isEqualTo(variant);
      variants.add(variant);
    }
    assertThat(variants).hasSizeGreaterThan(2);
    assertThat(images.image(2)).isEqualTo(plain.image(2));
  }

  @Test
  void aTransformWithAGeneratorOfItsOwnIsRefused() {
    FileImages images =
        split(new FileSplit(folder.toFile())).withVariants(new RandomCropTransform(5L, 3, 3));
    assertThatThrownBy(() -> images.variant(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RandomCropTransform: it must draw from the Random that it is given");
  }

  /** In two stages, with features on disk. */
  @Test
  void theTrainerAndTheMixtureTakeThemAsTheyAre() throws IOException {
    List<String> classes = List.of("bark", "sand", "wood");
    FileSplit files = new FileSplit(folder.toFile());
    LabelledImages split =
        images(files, classes).withVariants(new FlipImageTransform(new Random()));
    ImageRecordReader reader = new ImageRecordReader(SIZE, SIZE, 3, LABELS);
    reader.initialize(files);
    reader.setLabels(classes);
    try (IteratorImages read = IteratorImages.of(reader, classes.size())) {
      for (LabelledImages images : List.of(split, read)) {
        ComputationGraph net = net(new FisherVectorLayer.Builder().components(2).build());
        FisherVectors.of(net).fit(images);
        TrainingResult result =
            TwoStageTrainer.builder(Backbone.of(net, "layer0").marked())
                .plan(TinyTask.closedForm(1, 1).build())
                .training(images)
                .validation(images.subset(0, 5))
                .folder(folder.resolve(images.getClass().getSimpleName()))
                .build()
                .train();
        assertThat(result.history(Stage.WHOLE))
            .singleElement()
            .matches(epoch -> Double.isFinite(epoch.trainingLoss()));
      }
    }
  }

  private static ComputationGraph net(Layer head) {
    return Networks.convolutional(
        Networks.general(DataType.FLOAT, new Nesterovs(1e-3, 0.9)),
        List.of(new ConvolutionLayer.Builder(3, 3).nOut(4).build(), head),
        InputType.convolutional(SIZE, SIZE, 3));
  }

  @Test
  void anImageReaderGivesItsImages() throws IOException {
    ImageRecordReader reader = new ImageRecordReader(SIZE, SIZE, 3, LABELS);
    reader.initialize(new FileSplit(folder.toFile()));
    Set<String> names = new HashSet<>();
    try (IteratorImages images = IteratorImages.of(reader, 2)) {
      assertThat(images.size()).isEqualTo(6);
      assertThat(images.classes()).isEqualTo(2);
      reader.reset();
      for (int i = 0; i < 6; i++) {
        Record record = reader.nextRecord();
        assertThat(images.label(i)).isEqualTo(record.getRecord().get(1).toInt());
        names.add(images.name(i));
      }
      assertThat(names).hasSize(6);
      assertThat(images.image(3).shape()).containsExactly(1, 3, SIZE, SIZE);
      assertThat(images.image(3)).isEqualTo(images.image(3)).isNotEqualTo(images.image(4));
    }
    assertThatThrownBy(() -> IteratorImages.of(reader, 3))
        .hasMessageContaining("expected a reader with 3 labels, got 2");
  }

  @Test
  void aReaderThatShufflesIsRefused() throws IOException {
    ImageRecordReader reader = new ImageRecordReader(SIZE, SIZE, 3, LABELS);
    reader.initialize(new FileSplit(folder.toFile(), new Random(1)));
    assertThatThrownBy(() -> IteratorImages.of(reader, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected the same images in the same order after reset()")
        .hasMessageContaining("leave out shuffling and random transforms");
  }

  @Test
  void anIteratorGivesItsImagesUntilItIsClosed() {
    List<DataSet> examples = examples();
    InMemoryImages all = new InMemoryImages(DataSet.merge(examples));
    ImagesRecordReader reader = new ImagesRecordReader(all, List.of("bark", "sand"));
    IteratorImages images = new IteratorImages(new RecordReaderDataSetIterator(reader, 3, 1, 2));
    for (int i = 0; i < examples.size(); i++) {
      assertThat(images.image(i)).isEqualTo(examples.get(i).getFeatures());
      assertThat(images.label(i)).isEqualTo(i % 2);
    }
    images.close();
    assertThatThrownBy(() -> images.image(0)).hasMessageContaining("cannot be read");
  }

  @Test
  void imagesGoBackToDataVec() {
    List<DataSet> examples = examples();
    DataSet all = DataSet.merge(examples);
    List<String> classes = List.of("bark", "sand");
    ImagesRecordReader reader = new ImagesRecordReader(new InMemoryImages(all), classes);
    DataSetIterator iterator = new RecordReaderDataSetIterator(reader, 4, 1, 2);
    for (int pass = 0; pass < 2; pass++) {
      List<DataSet> batches = new ArrayList<>();
      iterator.forEachRemaining(batches::add);
      assertThat(batches).hasSize(2);
      assertThat(DataSet.merge(batches).getFeatures()).isEqualTo(all.getFeatures());
      assertThat(DataSet.merge(batches).getLabels()).isEqualTo(all.getLabels());
      iterator.reset();
    }
    assertThat(iterator.getLabels()).isEqualTo(classes);
    reader.next();
    Record second = reader.nextRecord();
    Record again = reader.loadFromMetaData(Collections.singletonList(second.getMetaData())).get(0);
    assertThat(again.getRecord()).isEqualTo(second.getRecord());
    while (reader.hasNext()) {
      reader.next();
    }
    assertThatThrownBy(reader::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(() -> new ImagesRecordReader(new InMemoryImages(all), List.of("bark")))
        .hasMessageContaining("expected the names of 2 classes, got 1");
  }

  private static List<DataSet> examples() {
    List<DataSet> examples = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      INDArray label = Nd4j.zeros(1, 2);
      label.putScalar(0, i % 2, 1);
      examples.add(new DataSet(Nd4j.rand(1, 3, 4, 5), label));
    }
    return examples;
  }

  private static FileImages split(FileSplit split) {
    return images(split, SplitFiles.classes(LABELS, split));
  }

  private static FileImages images(FileSplit split, List<String> classes) {
    List<ImageFile> files = SplitFiles.of(split, LABELS, classes);
    return new FileImages(files, classes.size(), Views.PLAIN, SIZE, PixelFormat.CAFFE, 1)
        .withoutVariants();
  }

  @Test
  void aTransformNeedsWholeViews() {
    FileImages crops = new FileImages(List.of(), 2, Views.FIVE_CROPS, SIZE, PixelFormat.CAFFE, 1);
    assertThatThrownBy(() -> crops.withVariants(new FlipImageTransform(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected whole views");
  }
}
