/**
 * The layer configurations that users write and that a network's JSON stores: {@link
 * io.github.spd4j.layers.KernelAggregationLayer}, {@link io.github.spd4j.layers.SpdTransformLayer}
 * and {@link io.github.spd4j.layers.SpdVectorizationLayer}; for other second-order heads {@link
 * io.github.spd4j.layers.MatrixSquareRootLayer}, {@link io.github.spd4j.layers.ReEigLayer}, {@link
 * io.github.spd4j.layers.LogEigLayer}, {@link io.github.spd4j.layers.MatrixPowerLayer}, {@link
 * io.github.spd4j.layers.LogCholeskyLayer}, {@link
 * io.github.spd4j.layers.SpdBatchNormalizationLayer}, {@link
 * io.github.spd4j.layers.SpdOutputLayer}, {@link io.github.spd4j.layers.ExpEigLayer}, {@link
 * io.github.spd4j.layers.ShrinkageLayer}, {@link io.github.spd4j.layers.SparseInverseLayer} and
 * {@link io.github.spd4j.layers.CompactBilinearLayer}; the dropouts {@link
 * io.github.spd4j.layers.DropCov} and {@link io.github.spd4j.layers.SpdDropout}; and for comparison
 * with them {@link io.github.spd4j.layers.BilinearPoolingLayer}, {@link
 * io.github.spd4j.layers.TextureEncodingLayer} and {@link
 * io.github.spd4j.layers.FisherVectorLayer}. Parts of backbones are {@link
 * io.github.spd4j.layers.ScatteringLayer} and {@link io.github.spd4j.layers.ScaleShiftLayer}.
 * Sequences become feature maps by {@link io.github.spd4j.layers.RnnToMapsPreProcessor}.
 *
 * <p>A configuration knows shapes, options and what to refuse; the mathematics is in {@link
 * io.github.spd4j.kernel}, {@link io.github.spd4j.encoding}, {@link io.github.spd4j.manifold} and
 * {@link io.github.spd4j.linalg}. The class names are part of the format of saved networks.
 *
 * @serial exclude
 */
package io.github.spd4j.layers;
