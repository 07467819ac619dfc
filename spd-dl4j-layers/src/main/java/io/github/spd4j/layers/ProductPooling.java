/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.operators.vectors.NormalizedRows;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Pools the products of all pairs of feature maps, {@code X = (1/P) F Fᵀ}, into a normalised vector
 * that is linear in them.
 */
abstract class ProductPooling extends SpdRuntimeLayer {

  private static final long serialVersionUID = 1L;

  private final VectorLayer layer;
  private final transient NormalizedRows normalized;
  private final transient Algebra algebra;
  private final DataType type;

  ProductPooling(NeuralNetConfiguration conf, DataType type, Backend backend, VectorLayer layer) {
    super(conf, type, backend);
    this.layer = layer;
    this.normalized = NormalizedRows.on(backend, type, layer.normalization());
    this.algebra = backend.algebra();
    this.type = type;
  }

  /** X [N, C, C] in a definition. */
  static SDVariable products(MapsInput maps, SameDiff sd, SDVariable input, SDVariable mask) {
    SDVariable rows = maps.rows(sd, input, mask);
    SDVariable shares = rows.mul(1.0 / maps.pixelsOf(input));
    SDVariable scaled =
        mask == null ? shares : shares.mul(sd.reshape(MapsInput.growth(sd, mask), -1, 1, 1));
    return sd.mmul(scaled, rows, false, true, false);
  }

  /** How many numbers a layer keeps of so many feature maps. */
  static long savedElements(VectorLayer layer, InputType inputType) {
    long channels = layer.maps().typeOf(inputType).getChannels();
    return channels * channels + layer.normalization().saved().size() * layer.outputSize(channels);
  }

  /** The vectors [N, length] of X [N, C, C], before they are normalised. */
  abstract INDArray vectorsOf(INDArray products);

  /** The gradient with respect to X [N, C, C], from that with respect to the vectors. */
  abstract INDArray byProducts(INDArray byVectors, int channels);

  @Override
  protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
    INDArray maps = layer.maps().rows(input);
    int images = Math.toIntExact(maps.size(0));
    INDArray products = saved.keep(type, "products", images, maps.size(1), maps.size(1));
    MatrixStack f = MatrixStack.of(MatrixStack.inOrder(maps));
    double share = 1.0 / maps.size(2);
    algebra.multiply(share, f, f.transpose(), 0, MatrixStack.of(products), images);
    grow(products, saved.mask());
    INDArray output = results.create(images, layer.outputSize(maps.size(1)));
    normalized.forward(vectorsOf(products), output, saved);
    return output;
  }

  @Override
  protected INDArray backward(
      INDArray gradient, Map<String, INDArray> paramGradients, ForwardPass saved, Results results) {
    Scratch scratch = saved.scratch();
    INDArray byVectors = scratch.array(type, "gradient", gradient.shape());
    algebra.copy(MatrixStack.inOrder(gradient), byVectors);
    normalized.backward(byVectors, saved);
    INDArray maps = layer.maps().rows(saved.input());
    INDArray symmetric = scratch.array(type, "symmetric", saved.get("products").shape());
    algebra.addTransposed(byProducts(byVectors, (int) maps.size(1)), 1.0 / maps.size(2), symmetric);
    grow(symmetric, saved.mask());
    INDArray result = results.create(saved.input().shape());
    INDArray byMaps =
        layer.maps().channelsLast()
            ? scratch.array(type, "maps", maps.shape())
            : layer.maps().rows(result);
    MatrixStack f = MatrixStack.of(MatrixStack.inOrder(maps));
    int images = Math.toIntExact(maps.size(0));
    algebra.multiply(1, MatrixStack.of(symmetric), f, 0, MatrixStack.of(byMaps), images);
    return layer.maps().channelsLast()
        ? result.assign(layer.maps().fromRows(byMaps, result))
        : result;
  }

  /** Makes a mean over the pixels that count of one over all pixels. */
  private void grow(INDArray matrices, INDArray mask) {
    if (mask != null) {
      INDArray byImage = MatrixStack.byImage(matrices);
      algebra.scaleRows(byImage, MapsInput.growth(mask), byImage);
    }
  }

  @Override
  protected boolean isBackwardInWorkspace() {
    return true;
  }
}
