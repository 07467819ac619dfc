/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.testing.SmallBackbone;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/** What the trainer says about input that it cannot use. */
class TrainerInputTest {

  private final ComputationGraph net = TinyTask.net();
  private final TrainingPlan plan = TinyTask.plan(1, 1).build();

  private static InMemoryImages images(int classes, int... labels) {
    INDArray zeros =
        Nd4j.zeros(DataType.FLOAT, labels.length, TinyTask.CHANNELS, TinyTask.SIZE, TinyTask.SIZE);
    return new InMemoryImages(zeros, labels, classes);
  }

  @Test
  void imagesOfADataSet() {
    INDArray labels = Nd4j.eye(3).castTo(DataType.FLOAT);
    InMemoryImages images = new InMemoryImages(new DataSet(Nd4j.rand(3, 2, 4, 4), labels));
    assertThat(images.size()).isEqualTo(3);
    assertThat(images.classes()).isEqualTo(3);
    assertThat(images.label(2)).isEqualTo(2);
    assertThat(images.image(1).shape()).isEqualTo(new long[] {1, 2, 4, 4});
  }

  @Test
  void noImages() {
    TwoStageTrainer.Builder trainer = TinyTask.trainer(net, plan);
    assertThatThrownBy(() -> trainer.training(null).build())
        .hasMessage("expected at least one training image, got none");
    assertThatThrownBy(() -> trainer.training(images(3, 0)).validation(new None()).build())
        .hasMessage("expected at least one validation image, got none");
  }

  @Test
  void labelsOutsideTheClasses() {
    assertThatThrownBy(() -> TinyTask.trainer(net, plan).training(images(3, 0, 3)).build())
        .hasMessage("expected labels from 0 to 2, got 3 for the training image '1'");
  }

  @Test
  void classesThatTheOutputDoesNotHave() {
    assertThatThrownBy(() -> TinyTask.trainer(net, plan).training(images(4, 0, 3)).build())
        .hasMessageContaining("the output layer 'out' has, 3, got 4");
  }

  @Test
  void anUnknownCut() {
    assertThatThrownBy(() -> Backbone.of(net, "pool5"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got pool5")
        .hasMessageContaining("[conv, layer0, layer1, layer2, layer3, layer4, out, spd-maps]");
    assertThatThrownBy(() -> TwoStageTrainer.builder(SmallBackbone.create()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a vertex 'spd-maps' where its backbone ends")
        .hasMessageContaining("[conv1, norm, pool, left, right, merge, last, fc, out]");
  }

  @Test
  void aCutWithNothingAfterIt() {
    assertThatThrownBy(() -> Backbone.of(net, "out").marked())
        .hasMessageContaining("expected a cut before the output [out], got 'out'");
  }

  @Test
  void imagesOfSeveralSizes() {
    LabelledImages mixed =
        new None() {
          @Override
          public int size() {
            return 2;
          }

          @Override
          public INDArray image(int index) {
            return Nd4j.zeros(DataType.FLOAT, 1, TinyTask.CHANNELS, TinyTask.SIZE + index, 8);
          }
        };
    TwoStageTrainer trainer = TinyTask.trainer(net, plan).training(mixed).build();
    assertThatThrownBy(trainer::train)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 'image 1' of shape [1, 2, 9, 8]")
        .hasMessageContaining("[1, 2, 8, 8]");
  }

  @Test
  void aFolderThatIsAFile(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    TwoStageTrainer trainer = TinyTask.trainer(net, plan).folder(file).build();
    assertThatThrownBy(trainer::train)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("expected a folder to write to, got " + file);
  }

  @Test
  void badSettings() {
    assertThatThrownBy(() -> plan.toBuilder().batchSize(0))
        .hasMessage("batchSize: expected at least 1, got 0");
    assertThatThrownBy(() -> plan.toBuilder().rates(Stage.HEAD, Double.NaN))
        .hasMessageContaining("got NaN");
    TrainingPlan nothing = TinyTask.plan(0, 0).build();
    assertThatThrownBy(() -> TinyTask.trainer(net, nothing).build())
        .hasMessageContaining("expected at least one epoch");
  }

  /** No images of three classes. */
  private static class None implements LabelledImages {
    @Override
    public int size() {
      return 0;
    }

    @Override
    public int classes() {
      return 3;
    }

    @Override
    public String name(int index) {
      return "image " + index;
    }

    @Override
    public int label(int index) {
      return 0;
    }

    @Override
    public INDArray image(int index) {
      throw new AssertionError("refused before any image is read");
    }
  }

  /** Images that nobody would look at are not dropped without a word. */
  @Test
  void validationImagesAndNoValidation() {
    TwoStageTrainer.Builder both = TinyTask.trainer(net, plan).withoutValidation();
    assertThatThrownBy(both::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected validation(images) or withoutValidation(), got both");
    TwoStageTrainer.Builder reversed =
        TwoStageTrainer.builder(net)
            .training(TinyTask.images(1, 6))
            .withoutValidation()
            .validation(TinyTask.images(2, 6));
    assertThatThrownBy(reversed::build).hasMessageContaining("got both");
  }
}
