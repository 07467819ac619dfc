/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.bytedeco.opencv.global.opencv_core.CV_32F;
import static org.bytedeco.opencv.global.opencv_core.CV_8U;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import org.bytedeco.opencv.opencv_core.Mat;
import org.datavec.image.data.Image;
import org.datavec.image.data.ImageWritable;
import org.datavec.image.loader.NativeImageLoader;
import org.datavec.image.transform.ImageTransform;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * DataVec's image loader, with images as {@link Pixels} reads and resizes them: damaged and
 * truncated files are refused, memory is bounded, values are from 0 to 255 whatever the file's
 * depth, and a smaller size is an average. DataVec's own loader makes up what is missing of a
 * photograph, gives 16-bit files values up to 65,535, and resizes without a filter, so that fine
 * textures turn into other patterns.
 *
 * <p>The channels are blue, green and red, or one of grey. A transform is applied before the image
 * is resized, as in DataVec.
 */
public class SafeImageLoader extends NativeImageLoader {

  private static final long serialVersionUID = 1L;

  /**
   * A loader.
   *
   * @param height the height of the images that it gives
   * @param width their width
   * @param channels 3 for colours, 1 for grey
   */
  public SafeImageLoader(long height, long width, long channels) {
    super(height, width, channels);
  }

  /**
   * A loader that transforms images.
   *
   * @param height the height of the images that it gives
   * @param width their width
   * @param channels 3 for colours, 1 for grey
   * @param transform what is done with each image before it is resized, or null
   */
  public SafeImageLoader(long height, long width, long channels, ImageTransform transform) {
    super(height, width, channels, transform);
  }

  @Override
  public INDArray asMatrix(File file, boolean nchw) throws IOException {
    return ordered(asMatrix(read(file)), nchw);
  }

  @Override
  public INDArray asMatrix(InputStream stream, boolean nchw) throws IOException {
    return ordered(asMatrix(read(stream)), nchw);
  }

  @Override
  public void asMatrixView(File file, INDArray view) throws IOException {
    asMatrixView(read(file), view);
  }

  @Override
  public void asMatrixView(InputStream stream, INDArray view) throws IOException {
    asMatrixView(read(stream), view);
  }

  @Override
  public Image asImageMatrix(File file, boolean nchw) throws IOException {
    return image(read(file), nchw);
  }

  @Override
  public Image asImageMatrix(InputStream stream, boolean nchw) throws IOException {
    return image(read(stream), nchw);
  }

  @Override
  public ImageWritable asWritable(File file) throws IOException {
    return new ImageWritable(converter.convert(read(file)));
  }

  private static Mat read(File file) throws IOException {
    return ImageDecoder.decode(file.toPath(), Mat::clone);
  }

  private static Mat read(InputStream stream) throws IOException {
    return ImageDecoder.decode(stream, Mat::clone);
  }

  private Image image(Mat read, boolean nchw) throws IOException {
    INDArray array = ordered(asMatrix(read), nchw);
    return new Image(array, read.channels(), read.rows(), read.cols());
  }

  private static INDArray ordered(INDArray image, boolean nchw) {
    return nchw ? image : image.permute(0, 2, 3, 1);
  }

  @Override
  protected Mat scalingIfNeed(Mat image, long newHeight, long newWidth) {
    boolean same = image.rows() == newHeight && image.cols() == newWidth;
    if (same || newHeight < 1 || newWidth < 1 || image.depth() != CV_8U) {
      return super.scalingIfNeed(image, newHeight, newWidth);
    }
    Pixels resized = Pixels.of(image).resize((int) newHeight, (int) newWidth);
    INDArray planes = Nd4j.create(resized.planes().length, newHeight, newWidth);
    for (int c = 0; c < resized.planes().length; c++) {
      planes
          .slice(c)
          .assign(Nd4j.createFromArray(resized.planes()[c]).reshape(newHeight, newWidth));
    }
    return asMat(planes, CV_32F);
  }
}
