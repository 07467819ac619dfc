/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.train.TinyTask;
import io.github.spd4j.train.TinyTask.Counting;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.impl.ActivationCube;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Adam;

/** Features are computed once, found again, and never half. */
class FeatureCacheTest {

  private static final int[] ALL = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

  @TempDir Path folder;

  private final ComputationGraph net = TinyTask.net();
  private final Counting images = new Counting(TinyTask.images(3, 10));

  private Features features() {
    return FeatureCache.inFolder(folder).features(net, images, 4, new Told());
  }

  private INDArray readAll() {
    try (Features features = features()) {
      return features.batch(ALL);
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> !file.endsWith(OwnFolder.MARK)).collect(Collectors.toList());
    }
  }

  private Path file() throws IOException {
    assertThat(files()).hasSize(1);
    return files().get(0);
  }

  @Test
  void fileAndMemoryHoldWhatTheBackboneComputes() {
    INDArray expected =
        net.feedForward(ImageBatches.ofImages(images, net, 12).inputs(ALL, 0), false)
            .get(TinyTask.CUT);
    assertThat(readAll()).isEqualTo(expected);
    try (Features memory = FeatureCache.inMemory().features(net, images, 3, new Told())) {
      assertThat(memory.batch(ALL)).isEqualTo(expected);
      assertThat(memory.shape()).isEqualTo(new long[] {5, 6, 6});
      assertThat(memory.size()).isEqualTo(10);
    }
  }

  @Test
  void aPartTakesTheFeaturesOfTheWhole() throws IOException {
    INDArray all = readAll();
    images.reads = 0;
    LabelledImages part = images.subset(7, 2).subset(1, 0, 1);
    assertThat(part.name(0)).isEqualTo(images.name(2));
    assertThat(part.label(1)).isEqualTo(images.label(7));
    assertThat(part.variant(1, 5)).isEqualTo(images.variant(7, 5));
    images.reads = 0;
    try (Features features = FeatureCache.inFolder(folder).features(net, part, 4, new Told())) {
      assertThat(features.size()).isEqualTo(3);
      assertThat(features.batch(1, 2)).isEqualTo(all.get(NDArrayIndex.indices(2, 7)));
    }
    assertThat(images.reads).isEqualTo(1); // to see the size
    assertThat(files()).hasSize(1);
    assertThatThrownBy(() -> images.subset(3, 10)).hasMessageContaining("from 0 to 9, got 10");
  }

  @Test
  void aSecondTimeNothingIsComputed() {
    INDArray first = readAll();
    images.reads = 0;
    assertThat(readAll()).isEqualTo(first);
    assertThat(images.reads).isEqualTo(1); // to see the size
    FeatureCache memory = FeatureCache.inMemory();
    memory.features(net, images, 4, new Told()).close();
    images.reads = 0;
    memory.features(net, images, 4, new Told()).close();
    assertThat(images.reads).isEqualTo(1);
  }

  @Test
  void goesOnAfterATruncation() throws IOException {
    INDArray whole = readAll();
    long size = Files.size(file());
    long record = 5 * 6 * 6 * 4 + 4;
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.truncate(size - 3 * record - 1); // six records and most of a seventh
    }
    images.reads = 0;
    assertThat(readAll()).isEqualTo(whole);
    assertThat(images.reads).isEqualTo(1 + 4);
    assertThat(Files.size(file())).isEqualTo(size);
  }

  @Test
  void beginsAnewIfOnlyPartOfTheHeaderIsThere() throws IOException {
    INDArray whole = readAll();
    for (int bytes : new int[] {0, 10, 55, 60}) {
      try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
        channel.truncate(bytes);
      }
      assertThat(readAll()).isEqualTo(whole);
    }
  }

  /** A tail that a power failure left as zeros is computed again. */
  @Test
  void dropsRecordsWhoseChecksumIsWrong() throws IOException {
    INDArray whole = readAll();
    long size = Files.size(file());
    long record = 5 * 6 * 6 * 4 + 4;
    try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
      raw.setLength(size - 2 * record);
      raw.setLength(size - record); // the last record is all zeros
      raw.seek(size - 2 * record);
      raw.write(1);
    }
    assertThat(readAll()).isEqualTo(whole);
  }

  @Test
  void aDamagedRecordIsAnErrorThatNamesTheFile() throws IOException {
    readAll();
    try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
      raw.seek(raw.length() - 10);
      raw.write(new byte[] {1, 2, 3});
    }
    assertThatThrownBy(this::readAll)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(file().toString())
        .hasRootCauseMessage("record 9 is damaged; delete the file to compute it anew");
  }

  @Test
  void anotherBackboneOrListOfImagesGetsAnotherFile() throws IOException {
    readAll();
    net.getParam("conv_W").putScalar(0, 0.123);
    readAll();
    assertThat(files()).hasSize(2);
    FeatureCache.inFolder(folder).features(net, TinyTask.images(3, 9), 4, new Told()).close();
    assertThat(files()).hasSize(3);
    net.getParam("out_W").putScalar(0, 0.123); // the head does not matter
    readAll();
    assertThat(files()).hasSize(3);
  }

  /** Under the same names. */
  @Test
  void imagesOfAnotherSizeGetAnotherFile() throws IOException {
    INDArray first = readAll();
    LabelledImages larger =
        new InMemoryImages(Nd4j.rand(DataType.FLOAT, 10, TinyTask.CHANNELS, 9, 9), new int[10], 3);
    assertThat(larger.name(7)).isEqualTo(images.name(7));
    try (Features features = FeatureCache.inFolder(folder).features(net, larger, 4, new Told())) {
      assertThat(features.shape()).isEqualTo(new long[] {5, 7, 7});
    }
    assertThat(files()).hasSize(2);
    assertThat(readAll()).isEqualTo(first);
  }

  @Test
  void aNetworkOfAnotherTypeGetsAnotherFile() throws IOException {
    readAll();
    ComputationGraph exact = TinyTask.net(DataType.DOUBLE);
    exact.params().assign(net.params().castTo(DataType.DOUBLE));
    FeatureCache.inFolder(folder).features(exact, images, 4, new Told()).close();
    assertThat(files()).hasSize(2);
  }

  @Test
  void aFileThatIsSomethingElseIsLeftAlone() throws IOException {
    readAll();
    Path file = file();
    byte[] other = new byte[1000];
    Files.write(file, other);
    assertThatThrownBy(this::readAll)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(file.toString())
        .hasRootCauseMessage("it is not a feature file of version 1");
    assertThat(Files.readAllBytes(file)).isEqualTo(other);
  }

  @Test
  void twoCannotWriteTheSameFile() throws IOException {
    readAll();
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.lock();
      assertThatThrownBy(this::readAll)
          .hasMessageContaining(file().toString())
          .cause()
          .hasMessage("another training is writing to it");
    }
  }

  /** A try that is refused must not cost the writer its lock, which is the process's. */
  @Test
  void oneThatIsRefusedTakesNothingFromTheWriter() throws IOException {
    readAll();
    Path file = file();
    halve(file);
    byte[] key = Arrays.copyOfRange(Files.readAllBytes(file), 12, 44); // after magic and version
    try (FeatureFile writer = FeatureFile.open(file, key, 10, new Told())) {
      assertThat(writer.complete()).isLessThan(10);
      assertThatThrownBy(this::readAll).cause().hasMessage("another training is writing to it");
      letGo(locking(file, "not locked"));
    }
    readAll();
  }

  private static void halve(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }
  }

  @Test
  @Timeout(60)
  void waitsForAnotherProcess() throws IOException {
    INDArray expected = readAll();
    halve(file());
    Process other = locking(file(), "locked");
    Told told =
        new Told() {
          @Override
          public void message(String text) {
            super.message(text);
            letGo(other);
          }
        };
    try (Features features = FeatureCache.inFolder(folder).features(net, images, 4, told)) {
      assertThat(features.batch(ALL)).isEqualTo(expected);
    } finally {
      other.destroyForcibly();
    }
    assertThat(told.messages)
        .containsExactly("Waits for another process, which writes to " + file());
  }

  private static Process locking(Path file, String expected) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockingMain.class.getName(),
                file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
    assertThat(said).isEqualTo(expected);
    return process;
  }

  private static void letGo(Process process) {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aPlaceThatCannotBeWrittenToIsNamed() throws IOException {
    Path notAFolder = Files.createFile(folder.resolve("taken"));
    assertThatThrownBy(() -> FeatureCache.inFolder(notAFolder).features(net, images, 4, new Told()))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(notAFolder.toString());
  }

  /** /dev/full takes no byte, as a full disk. */
  @Test
  void aFullDiskIsNamed() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full));
    try (FeatureFile file = FeatureFile.open(full, new byte[32], 2, new Told())) {
      assertThatThrownBy(() -> file.append(Nd4j.zeros(2, 3)))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("cannot write features to /dev/full (0 of 2 images are saved")
          .hasRootCauseMessage("No space left on device");
    }
  }

  @Test
  void theKeyKnowsWhatTheBackboneDoesButNotHowItLearns() throws IOException {
    readAll();
    BaseLayer layer = (BaseLayer) net.getLayer("conv").conf().getLayer();
    layer.setIUpdater(new Adam(7));
    readAll();
    assertThat(files()).hasSize(1);
    layer.setActivationFn(new ActivationCube());
    readAll();
    assertThat(files()).hasSize(2);
  }
}
