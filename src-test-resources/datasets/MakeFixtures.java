/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;

/**
 * Writes a few tiny images in the folders of each data set, and the lists that come with them.
 *
 * <p>Run it in this folder: {@code java MakeFixtures.java}. Stripes of random colours stand for
 * photographs; each depends on the image's name alone.
 */
public final class MakeFixtures {

  private static final int WIDTH = 12;
  private static final int HEIGHT = 10;

  private MakeFixtures() {}

  /** Writes everything. */
  public static void main(String[] arguments) throws IOException {
    dtd();
    fmd();
    kthTips2b();
    kthTips();
    cub();
    aircraft();
    for (String folder : List.of("folders/", "foldered/train/", "foldered/test/")) {
      folders(folder);
    }
    foldersNested();
  }

  /** Two classes of six, and two of the ten divisions. */
  private static void dtd() throws IOException {
    List<String> names = new ArrayList<>();
    for (String name : List.of("banded", "zigzagged")) {
      for (int i = 1; i <= 6; i++) {
        names.add(name + "/" + name + "_000" + i + ".jpg");
        image("dtd/images/" + names.get(names.size() - 1));
      }
    }
    for (int split = 1; split <= 2; split++) {
      String[] parts = {"train", "val", "test"};
      for (int part = 0; part < parts.length; part++) {
        List<String> lines = new ArrayList<>();
        for (int i = (part + split) % 3; i < names.size(); i += 3) {
          lines.add(names.get(i));
        }
        lines("dtd/labels/" + parts[part] + split + ".txt", lines);
      }
    }
  }

  /** One image of seven is cut off, and there is a file that is no image. */
  private static void fmd() throws IOException {
    for (int i = 1; i <= 3; i++) {
      image("fmd/image/fabric/fabric_moderate_00" + i + "_new.jpg");
      image("fmd/image/water/water_object_00" + i + "_new.jpg");
    }
    Path damaged = file("fmd/image/water/water_object_004_new.jpg");
    byte[] whole = encode("jpg", draw(damaged.toString(), 64, 48));
    Files.write(damaged, Arrays.copyOf(whole, whole.length * 3 / 4));
    Files.writeString(file("fmd/image/water/Thumbs.db"), "no image\n");
  }

  private static void kthTips2b() throws IOException {
    for (String name : List.of("cork", "wool")) {
      for (char sample = 'a'; sample <= 'd'; sample++) {
        for (int pose = 1; pose <= 2; pose++) {
          String file = "/22" + sample + "-scale_2_im_" + pose + "_col.png";
          image("kth-tips-2b/" + name + "/sample_" + sample + file);
        }
      }
    }
  }

  /** Scale 10 sorts before scale 2 where names are compared. */
  private static void kthTips() throws IOException {
    for (String name : List.of("cotton", "sponge")) {
      for (int scale = 2; scale <= 10; scale++) {
        image("kth-tips/" + name + "/21-scale_" + scale + "_im_1_col.png");
      }
    }
  }

  /** Numbers from 1 on, as the lists have them; every other image is one to train on. */
  private static void cub() throws IOException {
    List<String> classes = List.of("001.Laysan_Albatross", "002.Crested_Auklet");
    List<String> images = new ArrayList<>();
    List<String> labels = new ArrayList<>();
    List<String> split = new ArrayList<>();
    for (int c = 1; c <= classes.size(); c++) {
      for (int i = 1; i <= 5; i++) {
        int id = images.size() + 1;
        String name = classes.get(c - 1);
        images.add(id + " " + name + "/" + name.substring(4) + "_000" + i + ".jpg");
        labels.add(id + " " + c);
        split.add(id + " " + (i % 2));
        image("cub/images/" + images.get(id - 1).split(" ")[1]);
      }
    }
    lines("cub/classes.txt", List.of("1 " + classes.get(0), "2 " + classes.get(1)));
    lines("cub/images.txt", images);
    lines("cub/image_class_labels.txt", labels);
    lines("cub/train_test_split.txt", split);
  }

  /** Names of classes with blanks and slashes; a white banner of 20 rows below each picture. */
  private static void aircraft() throws IOException {
    List<String> classes = List.of("Cessna 172", "F-16A/B");
    List<List<String>> parts = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < 12; i++) {
      String id = "00" + (34309 + 7 * i);
      parts.get(i / 2 % 3).add(id + " " + classes.get(i % 2));
      String name = "aircraft/data/images/" + id + ".jpg";
      BufferedImage image = draw(name, WIDTH, HEIGHT + 20);
      for (int k = 0; k < 20 * WIDTH; k++) {
        image.setRGB(k % WIDTH, HEIGHT + k / WIDTH, 0xffffff);
      }
      Files.write(file(name), encode("jpg", image));
    }
    List<String> both = new ArrayList<>(parts.get(0));
    both.addAll(parts.get(1));
    lines("aircraft/data/variants.txt", classes);
    lines("aircraft/data/images_variant_train.txt", parts.get(0));
    lines("aircraft/data/images_variant_val.txt", parts.get(1));
    lines("aircraft/data/images_variant_trainval.txt", both);
    lines("aircraft/data/images_variant_test.txt", parts.get(2));
  }

  private static void folders(String root) throws IOException {
    for (int i = 1; i <= 3; i++) {
      image(root + "leaf/" + i + ".png");
      image(root + "stone/" + i + ".jpg");
    }
  }

  private static void foldersNested() throws IOException {
    for (String name : List.of("leaf/dry/1", "leaf/old/1", "leaf/new/wet/2")) {
      image("folders-nested/" + name + ".png");
    }
    for (int i = 1; i <= 3; i++) {
      image("folders-nested/stone/old/" + i + ".png");
    }
  }

  private static void image(String name) throws IOException {
    String format = name.substring(name.length() - 3);
    Files.write(file(name), encode(format, draw(name, WIDTH, HEIGHT)));
  }

  private static BufferedImage draw(String name, int width, int height) {
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Random random = new Random(name.replace('\\', '/').hashCode());
    int[] colours = random.ints(width + height).toArray();
    for (int k = 0; k < width * height; k++) {
      image.setRGB(k % width, k / width, colours[k % width + k / width]);
    }
    return image;
  }

  private static byte[] encode(String format, BufferedImage image) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if (!ImageIO.write(image, format, bytes)) {
      throw new IOException("no writer for " + format);
    }
    return bytes.toByteArray();
  }

  private static void lines(String name, List<String> lines) throws IOException {
    Files.writeString(file(name), String.join("\n", lines) + "\n");
  }

  private static Path file(String name) throws IOException {
    Path file = Path.of(name);
    Files.createDirectories(file.getParent());
    return file;
  }
}
