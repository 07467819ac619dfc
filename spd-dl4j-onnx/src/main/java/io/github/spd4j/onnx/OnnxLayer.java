/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import io.github.spd4j.internal.onnx.OnnxFile;
import io.github.spd4j.internal.onnx.OnnxPart;
import io.github.spd4j.models.FileLayer;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.memory.LayerMemoryReport;
import org.deeplearning4j.nn.conf.memory.MemoryReport;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.AbstractLayer;
import org.deeplearning4j.nn.params.EmptyParamInitializer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.regularization.Regularization;

/**
 * A frozen network from an ONNX file, which ONNX Runtime computes: images in, feature maps out. It
 * is made by {@link OnnxBackbone}.
 *
 * <p>Shapes: [N, 3, H, W] → [N, C, h, w]. There are no parameters, and no gradient goes through: as
 * before a frozen layer of DL4J, nothing learns that comes before it.
 *
 * <p>The configuration stores the digest of the file. A model file of this library has the file
 * itself beside it.
 */
public final class OnnxLayer extends FeedForwardLayer implements FileLayer, OnnxPart {

  private static final long serialVersionUID = 1L;

  /** Where the numbers of a place lie in the output of the file. */
  enum Layout {
    /** [N, C, h, w]. */
    MAPS,
    /** [N, h, w, C]. */
    CHANNELS_LAST,
    /** [N, T, C], row by row after those that stand for no place. */
    TOKENS
  }

  private static final int COLOURS = 3;

  /** With this size DL4J's types are asked for when only the number of maps matters. */
  private static final int EXAMPLE_SIZE = 224;

  private String digest;
  private Layout layout;
  private int leftOut;

  private transient OnnxFile file;

  OnnxLayer(OnnxFile file, Layout layout, int leftOut, long maps) {
    this.file = file;
    this.digest = file.digest();
    this.layout = layout;
    this.leftOut = leftOut;
    this.nIn = COLOURS;
    this.nOut = maps;
  }

  private OnnxLayer() {} // for Jackson

  /**
   * The SHA-256 of the file.
   *
   * @return 64 hexadecimal digits
   */
  public String getDigest() {
    return digest;
  }

  @Override
  public String getLayout() {
    return layout.name();
  }

  @Override
  public int getLeftOut() {
    return leftOut;
  }

  @Override
  public String digest() {
    if (!String.valueOf(digest).matches("[0-9a-f]{64}") || layout == null || leftOut < 0) {
      throw new IllegalArgumentException(
          "expected the digest and layout of an ONNX file, got none");
    }
    return digest;
  }

  @Override
  public byte[] file() {
    return onnx().bytes();
  }

  @Override
  public int size() {
    return Math.max(onnx().size()[0], onnx().size()[1]);
  }

  @Override
  public void attach(byte[] bytes) throws IOException {
    OnnxFile given = OnnxFile.of(bytes);
    if (!given.digest().equals(digest())) {
      throw new IOException("expected the ONNX file of digest " + digest + ", got another");
    }
    this.file = given;
  }

  private OnnxFile onnx() {
    if (file == null) {
      file = OnnxFile.known(digest()); // of the network that this is a copy of
    }
    if (file == null) {
      throw new IllegalStateException(
          "expected the ONNX file of the backbone, got its configuration alone; write models by"
              + " ImageClassifier.save and read them by SafeModels");
    }
    return file;
  }

  @Override
  public org.deeplearning4j.nn.api.Layer instantiate(
      NeuralNetConfiguration conf,
      Collection<TrainingListener> listeners,
      int index,
      INDArray params,
      boolean initialize,
      DataType type) {
    Runtime layer = new Runtime(conf, type);
    layer.setListeners(listeners);
    layer.setIndex(index);
    return layer;
  }

  @Override
  public ParamInitializer initializer() {
    return EmptyParamInitializer.getInstance();
  }

  @Override
  public InputType getOutputType(int index, InputType inputType) {
    if (!(inputType instanceof InputTypeConvolutional)
        || ((InputTypeConvolutional) inputType).getChannels() != COLOURS) {
      throw new IllegalArgumentException("expected images of 3 channels, got " + inputType);
    }
    InputTypeConvolutional images = (InputTypeConvolutional) inputType;
    int[] fixed = onnx().size();
    boolean isExample = images.getHeight() == EXAMPLE_SIZE && images.getWidth() == EXAMPLE_SIZE;
    long height = isExample && fixed[0] > 0 ? fixed[0] : images.getHeight();
    long width = isExample && fixed[1] > 0 ? fixed[1] : images.getWidth();
    long[] maps = maps(Nd4j.zeros(DataType.FLOAT, 1, COLOURS, height, width)).shape();
    return InputType.convolutional(maps[2], maps[3], maps[1]);
  }

  @Override
  public void setNIn(InputType inputType, boolean override) {
    // it is known
  }

  @Override
  public InputPreProcessor getPreProcessorForInputType(InputType inputType) {
    return null;
  }

  @Override
  public List<Regularization> getRegularizationByParam(String name) {
    return null;
  }

  @Override
  public boolean isPretrainParam(String name) {
    return false;
  }

  @Override
  public LayerMemoryReport getMemoryReport(InputType inputType) {
    InputType output = getOutputType(-1, inputType);
    return new LayerMemoryReport.Builder(layerName, OnnxLayer.class, inputType, output)
        .standardMemory(0, 0)
        .workingMemory(0, 0, 0, 0)
        .cacheMemory(MemoryReport.CACHE_MODE_ALL_ZEROS, MemoryReport.CACHE_MODE_ALL_ZEROS)
        .build();
  }

  /** The feature maps of images, FLOAT. */
  private INDArray maps(INDArray images) {
    requireSize(images);
    long count = images.size(0);
    if (!onnx().takesOne() || count == 1) {
      return arranged(onnx().run(images), images);
    }
    INDArray[] each = new INDArray[(int) count];
    for (int i = 0; i < count; i++) {
      INDArray one = images.get(NDArrayIndex.interval(i, i + 1));
      each[i] = arranged(onnx().run(one), one);
    }
    return Nd4j.concat(0, each);
  }

  private void requireSize(INDArray images) {
    int[] fixed = onnx().size();
    boolean fits =
        (fixed[0] == 0 || fixed[0] == images.size(2))
            && (fixed[1] == 0 || fixed[1] == images.size(3));
    if (!fits) {
      throw new IllegalArgumentException(
          String.format(
              "expected images of %d by %d pixels, which the ONNX file takes, got %d by %d",
              fixed[0], fixed[1], images.size(2), images.size(3)));
    }
  }

  private INDArray arranged(INDArray output, INDArray images) {
    int rank = layout == Layout.TOKENS ? 3 : 4;
    if (output.rank() != rank || output.size(0) != images.size(0)) {
      throw new IllegalArgumentException(
          "expected an output of the ONNX file with "
              + rank
              + " axes and one entry for each image, got "
              + Arrays.toString(output.shape()));
    }
    INDArray maps = output;
    if (layout == Layout.CHANNELS_LAST) {
      maps = output.permute(0, 3, 1, 2);
    } else if (layout == Layout.TOKENS) {
      long places = output.size(1) - leftOut;
      long height = Math.round(Math.sqrt((double) places * images.size(2) / images.size(3)));
      if (places < 1 || height < 1 || places % height != 0) {
        throw new IllegalArgumentException(
            String.format(
                "expected %d tokens and one for each place of a grid, got %d",
                leftOut, output.size(1)));
      }
      maps =
          output
              .get(
                  NDArrayIndex.all(),
                  NDArrayIndex.interval(leftOut, output.size(1)),
                  NDArrayIndex.all())
              .permute(0, 2, 1)
              .dup('c')
              .reshape('c', output.size(0), output.size(2), height, places / height);
    }
    if (maps.size(1) != nOut) {
      throw new IllegalArgumentException("expected " + nOut + " maps, got " + maps.size(1));
    }
    return maps;
  }

  @Override
  public String toString() {
    return String.format("OnnxLayer(%s, digest=%s, %s, nOut=%d)", layerName, digest, layout, nOut);
  }

  @Override
  public boolean equals(Object other) {
    return super.equals(other)
        && other instanceof OnnxLayer
        && Objects.equals(digest, ((OnnxLayer) other).digest)
        && layout == ((OnnxLayer) other).layout
        && leftOut == ((OnnxLayer) other).leftOut;
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), digest, layout, leftOut);
  }

  /** Has a forward pass alone. */
  private final class Runtime extends AbstractLayer<OnnxLayer> {
    private static final long serialVersionUID = 1L;

    Runtime(NeuralNetConfiguration conf, DataType type) {
      super(conf, type);
    }

    @Override
    public INDArray activate(boolean training, LayerWorkspaceMgr memory) {
      assertInputSet(false);
      try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        INDArray maps = maps(input.castTo(DataType.FLOAT));
        return memory
            .createUninitialized(ArrayType.ACTIVATIONS, dataType, maps.shape(), 'c')
            .assign(maps);
      }
    }

    @Override
    public Pair<Gradient, INDArray> backpropGradient(INDArray epsilon, LayerWorkspaceMgr memory) {
      return new Pair<>(new DefaultGradient(), null);
    }

    @Override
    public org.deeplearning4j.nn.api.Layer clone() {
      NeuralNetConfiguration copy = conf.clone();
      return copy.getLayer().instantiate(copy, null, index, null, false, dataType);
    }

    @Override
    public Map<String, INDArray> paramTable(boolean backpropParamsOnly) {
      return Map.of();
    }

    @Override
    public boolean isPretrainLayer() {
      return false;
    }

    @Override
    public void clearNoiseWeightParams() {
      // there is no weight noise
    }
  }
}
