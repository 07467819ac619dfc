/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CheckCommandTest {

  private static final int SIDE = 80;

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return spd.execute(words);
  }

  /** Blots of a colour of its own; the same for the same seed. */
  private static BufferedImage picture(int seed, boolean grey) {
    Random random = new Random(seed);
    BufferedImage picture = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_INT_RGB);
    Graphics2D pen = picture.createGraphics();
    for (int i = 0; i < 40; i++) {
      int shade = random.nextInt(256);
      pen.setColor(
          grey
              ? new java.awt.Color(shade, shade, shade)
              : new java.awt.Color(shade, random.nextInt(256), random.nextInt(256)));
      pen.fillRect(random.nextInt(SIDE), random.nextInt(SIDE), 25, 25);
    }
    pen.dispose();
    return picture;
  }

  private void write(String name, BufferedImage picture) throws IOException {
    Path file = folder.resolve("set").resolve(name);
    Files.createDirectories(file.getParent());
    ImageIO.write(picture, name.replaceFirst(".*[.]", ""), file.toFile());
  }

  private static BufferedImage smaller(BufferedImage picture, int side) {
    BufferedImage small = new BufferedImage(side, side, BufferedImage.TYPE_INT_RGB);
    Graphics2D pen = small.createGraphics();
    pen.drawImage(
        picture.getScaledInstance(side, side, java.awt.Image.SCALE_AREA_AVERAGING), 0, 0, null);
    pen.dispose();
    return small;
  }

  private void writeClasses() throws IOException {
    for (int i = 0; i < 4; i++) {
      write("leaf/" + i + ".png", picture(i, false));
      write("stone/" + i + ".png", picture(10 + i, false));
    }
  }

  @Test
  void nothingIsFoundInASoundFolder() throws IOException {
    writeClasses();
    Map<String, String> before = new TreeMap<>(Tree.of(folder.resolve("set")));
    assertThat(run("check", folder.resolve("set").toString())).as(err.toString()).isZero();
    assertThat(out.toString())
        .isEqualToNormalizingNewlines("8 pictures of 2 classes: nothing found\n");
    assertThat(Tree.of(folder.resolve("set"))).isEqualTo(before);
  }

  @Test
  void whatIsWrongIsNamedTheWorstFirst() throws IOException {
    writeClasses();
    write("stone/leaf.png", picture(1, false));
    write("stone/again.png", picture(12, false));
    write("stone/third.png", picture(12, false));
    write("leaf/near.jpg", smaller(picture(11, false), 70)); // as stone/1.png
    write("leaf/tiny.png", smaller(picture(30, false), 20));
    for (int i = 0; i < 3; i++) {
      write("sand/" + i + ".png", picture(20 + i, true));
    }
    Files.writeString(folder.resolve("set/leaf/broken.png"), "no picture");
    Path csv = folder.resolve("found.csv");
    assertThat(run("check", folder.resolve("set").toString(), "--csv=" + csv))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(csv)
        .content()
        .isEqualTo(
            """
            problem,picture,detail
            unreadable,leaf/broken.png,
            same_in_classes,leaf/1.png,stone/leaf.png
            alike_in_classes,leaf/near.jpg,stone/1.png
            same,stone/2.png,stone/again.png
            same,stone/2.png,stone/third.png
            tiny_picture,leaf/tiny.png,20×20
            colour,sand,3 of 3 pictures are grey
            """);
    assertThat(out.toString())
        .startsWith("1 × cannot be read")
        .contains("1 × the same picture in two classes: one label is wrong", "7 found");
  }

  /** Each kind of picture that has unusual colours, and next to each one that only might. */
  @Test
  void unusualColoursAreNamedWithTheRemedy() throws IOException {
    for (int i = 0; i < 6; i++) {
      write("leaf/" + i + ".png", picture(i, false));
      write("stone/" + i + ".png", picture(10 + i, false));
    }
    write("leaf/grey.png", picture(31, true));
    write("leaf/opaque.png", as(BufferedImage.TYPE_INT_ARGB, picture(32, false)));
    for (String format : List.of("png", "gif", "tif")) {
      BufferedImage glass = as(BufferedImage.TYPE_INT_ARGB, picture(33 + format.charAt(0), false));
      for (int i = 0; i < SIDE; i++) {
        glass.setRGB(i, i, 0x00ff00);
      }
      write("stone/glass." + format, glass);
    }
    ColorModel deep =
        new ComponentColorModel(
            ColorSpace.getInstance(ColorSpace.CS_sRGB),
            false,
            false,
            Transparency.OPAQUE,
            DataBuffer.TYPE_USHORT);
    for (String format : List.of("png", "tif")) {
      BufferedImage sixteen =
          new BufferedImage(deep, deep.createCompatibleWritableRaster(SIDE, SIDE), false, null);
      sixteen.createGraphics().drawImage(picture(40 + format.charAt(0), false), 0, 0, null);
      write("stone/deep." + format, sixteen);
    }
    Path inks = folder.resolve("set/leaf/inks.jpg");
    WritableRaster four = Raster.createInterleavedRaster(DataBuffer.TYPE_BYTE, SIDE, SIDE, 4, null);
    for (int i = 0; i < SIDE * SIDE; i++) {
      four.setPixel(i % SIDE, i / SIDE, new int[] {i % 251, i % 13 * 19, i % 7 * 30, 200});
    }
    ImageWriter writer = ImageIO.getImageWritersByFormatName("jpg").next();
    try (ImageOutputStream stream = ImageIO.createImageOutputStream(inks.toFile())) {
      writer.setOutput(stream);
      writer.write(new IIOImage(four, null, null));
    }
    Path csv = folder.resolve("found.csv");
    assertThat(run("check", folder.resolve("set").toString(), "--csv=" + csv)).isZero();
    assertThat(csv)
        .content()
        .isEqualTo(
            """
            problem,picture,detail
            inks,leaf/inks.jpg,
            transparent,stone/glass.gif,
            transparent,stone/glass.png,
            transparent,stone/glass.tif,
            deep,stone/deep.png,
            deep,stone/deep.tif,
            grey_picture,leaf/grey.png,
            """);
    assertThat(out.toString())
        .contains("save as RGB", "save on a plain background", "stretch what looks dark", "leave");
  }

  private static BufferedImage as(int type, BufferedImage picture) {
    BufferedImage other = new BufferedImage(SIDE, SIDE, type);
    other.createGraphics().drawImage(picture, 0, 0, null);
    return other;
  }

  /** What is in train and in test by the folders, not by chance. */
  @Test
  void aPictureThatTrainsAndTestsIsNamed() throws IOException {
    for (String part : new String[] {"train", "test"}) {
      for (int i = 0; i < 3; i++) {
        int seed = part.equals("test") ? 40 : 0;
        write(part + "/leaf/" + i + ".png", picture(seed + i, false));
        write(part + "/stone/" + i + ".png", picture(seed + 10 + i, false));
      }
    }
    write("test/leaf/again.png", picture(0, false));
    assertThat(run("check", folder.resolve("set").toString())).isEqualTo(Commands.USER_ERROR);
    assertThat(out.toString()).contains("1 × a picture of the test also trains");
  }

  @Tag("both")
  @Test
  void labelsThatAreLikelyWrongHaveAPage() throws IOException {
    writeClasses();
    String set = folder.resolve("set").toString();
    Path run = folder.resolve("run");
    String[] train = {"train", set, "--out=" + run, "--backbone=random", "--epochs-head=1"};
    assertThat(run(train)).as(err.toString()).isZero();
    Path page = folder.resolve("labels");
    assertThat(run("check", set, "--labels=" + run, "--out=" + page)).as(err.toString()).isZero();
    assertThat(out.toString()).contains("of 8 labels are doubtful", "labels.html");
    assertThat(page.resolve("labels.html")).content().contains("Which labels may be wrong?");
    assertThat(page.resolve("labels.csv")).content().startsWith("file,true class,");

    write("sand/0.png", picture(50, false));
    assertThat(run("check", set, "--labels=" + run, "--out=" + page))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("expected those of the folder, [leaf, sand, stone]");
  }

  /** The head learns the wrong labels too, until it has nearly all right. */
  @Test
  @Tag("once")
  void labelsThatAreWrongComeFirst() throws IOException {
    for (int i = 0; i < 24; i++) {
      boolean isDark = i % 2 == 0;
      boolean isWrong = i == 5 || i == 18;
      BufferedImage picture = smaller(picture(i, false), 32);
      Graphics2D pen = picture.createGraphics();
      pen.setColor(isDark ? Color.DARK_GRAY : Color.LIGHT_GRAY);
      pen.fillRect(0, 0, 32, 26);
      pen.dispose();
      write((isDark == isWrong ? "light/" : "dark/") + i + ".png", picture);
    }
    String set = folder.resolve("set").toString();
    Path run = folder.resolve("run");
    String[] train = {
      "train", set, "--out=" + run, "--backbone=random", "--epochs-head=9", "--all"
    };
    assertThat(run(train)).as(err.toString()).isZero();
    Path page = folder.resolve("labels");
    assertThat(run("check", set, "--labels=" + run, "--out=" + page)).as(err.toString()).isZero();
    List<String> lines = Files.readAllLines(page.resolve("labels.csv"));
    assertThat(lines.subList(1, 3))
        .anyMatch(line -> line.startsWith("dark/5.png,dark,light,"))
        .anyMatch(line -> line.startsWith("light/18.png,light,dark,"));
    assertThat(page.resolve("labels.html")).content().contains("of 24 pictures were classified");
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() {
    for (String[] words :
        new String[][] {
          {"check", "x", "--labels=y"},
          {"check", "x", "--out=y"},
          {"check", "x", "--labels=y", "--out=z"},
          {"check", "x", "--labels=y", "--out=z", "--csv=c"}
        }) {
      assertThat(run(words)).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString()).hasLineCount(1).contains("--labels");
    }
  }
}
