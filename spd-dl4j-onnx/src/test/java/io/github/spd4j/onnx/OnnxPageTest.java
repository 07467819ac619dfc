/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.onnx.Rehearsal;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.testing.SmallClassifier;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;
import javax.tools.ToolProvider;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The programs of {@code docs/onnx.md}, with a small model. */
@Tag("once")
class OnnxPageTest {

  private static final int SIZE = 16;
  private static final List<String> CLASSES = List.of("leaf", "sand", "water");

  @TempDir Path folder;

  private Path model;
  private BufferedImage picture;
  private INDArray expected;

  @BeforeEach
  void export() {
    model = folder.resolve("model.onnx");
    OnnxExport.of(
            SmallClassifier.net(SIZE, new ConvolutionLayer.Builder(3, 3).nOut(4).build(), 2),
            ModelCard.of(CLASSES, SIZE, Views.PLAIN, PixelFormat.TORCH))
        .withPixels()
        .write(model);
    picture = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
    INDArray bytes = Nd4j.create(DataType.FLOAT, 1, SIZE, SIZE, 3);
    Random random = new Random(1);
    for (int i = 0; i < SIZE * SIZE; i++) {
      int colour = random.nextInt(1 << 24);
      picture.setRGB(i % SIZE, i / SIZE, colour);
      for (int plane = 0; plane < 3; plane++) {
        bytes.putScalar(0, i / SIZE, i % SIZE, plane, colour >> 8 * (2 - plane) & 255);
      }
    }
    expected = Rehearsal.run(model, bytes, true);
  }

  private static String program(String language) throws IOException {
    String page = Files.readString(Path.of(System.getProperty("spd4j.root"), "docs/onnx.md"));
    String use = page.substring(page.indexOf("## Use"));
    String begin = "```" + language + "\n";
    int start = use.indexOf(begin) + begin.length();
    return use.substring(start, use.indexOf("```", start));
  }

  @Test
  void theJavaLinesRun() throws Exception {
    String lines =
        program("java")
            .replace("224", "" + SIZE)
            .replace("\"model.onnx\"", "\"" + model.toString().replace("\\", "\\\\") + "\"");
    String program =
        String.join(
            "\n",
            "import ai.onnxruntime.*;",
            "import java.util.*;",
            "public final class Page {",
            "  public static void answer(java.nio.ByteBuffer bytes) throws Exception {",
            lines,
            "  }",
            "}");
    Path source = Files.writeString(folder.resolve("Page.java"), program);
    String path = System.getProperty("java.class.path");
    String[] options = {"-cp", path, "-d", folder.toString(), source.toString()};
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options)).isZero();
    ByteBuffer bytes = ByteBuffer.allocateDirect(3 * SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; i++) {
      int colour = picture.getRGB(i % SIZE, i / SIZE);
      bytes.put((byte) (colour >> 16)).put((byte) (colour >> 8)).put((byte) colour);
    }
    bytes.flip();
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, UTF_8));
      loader.loadClass("Page").getMethod("answer", ByteBuffer.class).invoke(null, bytes);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(UTF_8).strip())
        .isEqualTo(Arrays.toString(expected.toFloatMatrix()[0]));
  }

  /** Where Python has what the page says. */
  @Test
  @Tag("campaign")
  void thePythonLinesRun() throws Exception {
    assumeTrue(hasPython());
    ImageIO.write(picture, "png", folder.resolve("leaf.jpg").toFile());
    assertThat(python(program("python")).strip())
        .isEqualTo(CLASSES.get(expected.argMax(1).getInt(0)));
  }

  private boolean hasPython() throws InterruptedException {
    try {
      return python("import onnxruntime, PIL, numpy").isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  private String python(String program) throws IOException, InterruptedException {
    ProcessBuilder command = new ProcessBuilder("python3", "-c", program);
    Process process = command.directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isBetween(0, 1);
    return output;
  }
}
