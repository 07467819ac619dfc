/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.graft.ConvolutionalHead;
import io.github.spd4j.graft.FisherVectorHead;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdHead;
import io.github.spd4j.graft.VectorHead;
import io.github.spd4j.kernel.Bandwidth;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The head of a method on a backbone.
 *
 * <p>A convolution is never wider than the backbone's maps: a backbone with fewer than 512 is only
 * there for tests. The vector of {@link Head#kernelOnly} is not normalised, and grows with the
 * number C of maps; it is multiplied by scale / C, so that it is about as long as the others.
 */
final class Heads {

  private final Method method;
  private final HeadOptions options;
  private final LoadedBackbone backbone;

  Heads(Method method, HeadOptions options, LoadedBackbone backbone) {
    this.method = method;
    this.options = options;
    this.backbone = backbone;
  }

  Head head() {
    switch (method.family()) {
      case CLASSIFIER:
        return backbone.hasFullyConnected() ? Head.fullyConnected() : Head.averagePooling();
      case AVERAGE:
        return convolved(Head.averagePooling());
      case BILINEAR:
        return convolved(normalised(Head.bilinear()));
      case KERNEL:
        return convolved(kernel(Head.kernelOnly()).scale(options.scale / width()));
      case SPD:
        return convolved(normalised(kernel(Head.spd()).transforms(transform())));
      case SPD_ROOT:
        return convolved(kernel(Head.spdRoot(transform())).scale(options.scale));
      case FISHER:
        return normalised(fisherVectors());
      case FISHER_JOINED:
        return normalised(fisherVectors()).withFullyConnected();
      case DEEP_TEN:
        return convolved(Head.deepTen().scale(options.scale)).batchNormalization();
      case ROOT:
        return convolved(Head.covarianceRoot().scale(options.scale));
      case LOGARITHM:
        return convolved(kernel(Head.logEuclidean()).scale(options.scale));
      case SPD_NET:
        return convolved(Head.spdNet(width() / 2).scale(options.scale));
      case COMPACT:
        return normalised(Head.compactBilinear(options.sketch));
      default:
        throw new IllegalArgumentException("no head for " + method);
    }
  }

  private <T extends VectorHead<T>> T normalised(T head) {
    return head.powerFloor(options.powerFloor).scale(options.scale);
  }

  private FisherVectorHead fisherVectors() {
    int dimensions = Math.min(options.dimensions, backbone.maps());
    return Head.fisherVectors().components(options.components).dimensions(dimensions);
  }

  private SpdHead kernel(SpdHead head) {
    Bandwidth mean = Bandwidth.meanDistance().times(options.bandwidth);
    Bandwidth bandwidth = options.differentiateBandwidth ? mean.differentiated() : mean;
    return head.kernel(
        options.kernel.with(options.learnBandwidth ? bandwidth.learnt() : bandwidth));
  }

  private <T extends ConvolutionalHead<T>> T convolved(T head) {
    if (method.convolution() == 0) {
      return head;
    }
    T convolved = head.convolution(width());
    return startsAsIdentity() ? convolved.identityStart() : convolved;
  }

  /** An identity to fewer maps would only drop the others. */
  private boolean startsAsIdentity() {
    return !options.randomStart && width() == backbone.maps();
  }

  private int width() {
    return method.convolution() == 0
        ? backbone.maps()
        : Math.min(method.convolution(), backbone.maps());
  }

  private int transform() {
    int usual = method.family() == Method.Family.SPD_ROOT ? width() / 2 : width();
    return options.transform == 0 ? usual : Math.min(options.transform, width());
  }

  /** What the head is made of, by name. */
  Map<String, String> settings() {
    Map<String, String> all = new LinkedHashMap<>(options.settings());
    all.put("head", description());
    if (method.convolution() > 0) {
      all.put("convolution", String.valueOf(width()));
      all.put("convolutionStart", startsAsIdentity() ? "identity" : "random");
    }
    if (method.family() == Method.Family.SPD || method.family() == Method.Family.SPD_ROOT) {
      all.put("transform", String.valueOf(transform()));
    }
    return all;
  }

  private String description() {
    if (!backbone.hasFullyConnected()) {
      if (method.family() == Method.Family.CLASSIFIER) {
        return "average pooling";
      }
      if (method.family() == Method.Family.FISHER_JOINED) {
        return "Fisher vectors, joined with average pooling";
      }
    }
    return method.family().title;
  }
}
