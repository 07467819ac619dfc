/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static io.github.spd4j.internal.cuda.Cudnn.ONE;
import static io.github.spd4j.internal.cuda.Cudnn.ZERO;
import static io.github.spd4j.internal.cuda.Cudnn.check;
import static org.bytedeco.cuda.global.cudnn.CUDNN_ACTIVATION_RELU;
import static org.bytedeco.cuda.global.cudnn.CUDNN_CROSS_CORRELATION;
import static org.bytedeco.cuda.global.cudnn.CUDNN_DATA_FLOAT;
import static org.bytedeco.cuda.global.cudnn.CUDNN_DETERMINISTIC;
import static org.bytedeco.cuda.global.cudnn.CUDNN_PROPAGATE_NAN;
import static org.bytedeco.cuda.global.cudnn.CUDNN_STATUS_SUCCESS;
import static org.bytedeco.cuda.global.cudnn.cudnnConvolutionBackwardData;
import static org.bytedeco.cuda.global.cudnn.cudnnConvolutionBackwardFilter;
import static org.bytedeco.cuda.global.cudnn.cudnnConvolutionBiasActivationForward;
import static org.bytedeco.cuda.global.cudnn.cudnnConvolutionForward;
import static org.bytedeco.cuda.global.cudnn.cudnnCreateActivationDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnCreateConvolutionDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnCreateFilterDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnFindConvolutionBackwardDataAlgorithmEx;
import static org.bytedeco.cuda.global.cudnn.cudnnFindConvolutionBackwardFilterAlgorithmEx;
import static org.bytedeco.cuda.global.cudnn.cudnnFindConvolutionForwardAlgorithmEx;
import static org.bytedeco.cuda.global.cudnn.cudnnGetConvolutionBackwardDataWorkspaceSize;
import static org.bytedeco.cuda.global.cudnn.cudnnGetConvolutionBackwardFilterWorkspaceSize;
import static org.bytedeco.cuda.global.cudnn.cudnnGetConvolutionForwardWorkspaceSize;
import static org.bytedeco.cuda.global.cudnn.cudnnSetActivationDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnSetConvolution2dDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnSetConvolutionMathType;
import static org.bytedeco.cuda.global.cudnn.cudnnSetFilter4dDescriptor;

import io.github.spd4j.internal.acceleration.Window;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudnn.cudnnActivationStruct;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.cudnn.cudnnConvolutionBwdDataAlgoPerf_t;
import org.bytedeco.cuda.cudnn.cudnnConvolutionBwdFilterAlgoPerf_t;
import org.bytedeco.cuda.cudnn.cudnnConvolutionFwdAlgoPerf_t;
import org.bytedeco.cuda.cudnn.cudnnConvolutionStruct;
import org.bytedeco.cuda.cudnn.cudnnFilterStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A convolution of images of one size on one card, and the fastest algorithms for it. Pointers are
 * places on the card.
 */
final class CudnnPlan {

  /** More than cuDNN has algorithms for one piece of work, in all precisions. */
  private static final int MOST = 32;

  private static final int SEARCHES = 3;

  private final cudnnContext handle;
  private final CudnnMemory memory;
  private final cudnnTensorStruct images;
  private final cudnnTensorStruct output;
  private final cudnnFilterStruct weights = new cudnnFilterStruct();
  private final cudnnConvolutionStruct convolution = new cudnnConvolutionStruct();
  private final CudnnPlan larger;
  private final int math;

  private final cudnnActivationStruct rectifier = new cudnnActivationStruct();
  private boolean rectifies = true;

  private Algorithm forward;
  private Algorithm inputGradient;
  private Algorithm weightGradient;

  /**
   * A plan whose algorithms are found when they are needed.
   *
   * @param type how operands are stored and computed with
   * @param shape the shape of the weights
   * @param larger the plan of the same convolution for more images, whose algorithms do for fewer;
   *     null if there is none
   */
  CudnnPlan(
      cudnnContext handle,
      CudnnMemory memory,
      CudnnType type,
      cudnnTensorStruct images,
      cudnnTensorStruct output,
      long[] shape,
      Window window,
      CudnnPlan larger) {
    this.handle = handle;
    this.memory = memory;
    this.images = images;
    this.output = output;
    this.larger = larger;
    this.math = type.math;
    check(cudnnCreateFilterDescriptor(weights), "weights");
    check(
        cudnnSetFilter4dDescriptor(
            weights,
            type.number,
            type.format,
            (int) shape[0],
            (int) shape[1],
            (int) shape[2],
            (int) shape[3]),
        "weights");
    check(cudnnCreateConvolutionDescriptor(convolution), "a convolution");
    check(
        cudnnSetConvolution2dDescriptor(
            convolution,
            window.pad(0),
            window.pad(1),
            window.stride(0),
            window.stride(1),
            window.dilation(0),
            window.dilation(1),
            CUDNN_CROSS_CORRELATION,
            CUDNN_DATA_FLOAT),
        "a convolution");
    check(cudnnSetConvolutionMathType(convolution, type.math), "a precision");
    check(cudnnCreateActivationDescriptor(rectifier), "a rectifier");
    check(
        cudnnSetActivationDescriptor(rectifier, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0),
        "a rectifier");
  }

  /** y = x ∗ w. */
  void forward(Pointer x, Pointer w, Pointer y) {
    if (forward == null) {
      forward = findForward(x, w, y);
    }
    check(forward(forward, x, w, y), "a convolution");
  }

  /**
   * y = max(0, x ∗ w + b), where the algorithm can do that at once.
   *
   * @param bias the shape of b
   * @return whether it could
   */
  boolean rectified(Pointer x, Pointer w, cudnnTensorStruct bias, Pointer b, Pointer y) {
    if (rectifies && forward == null) {
      forward = findForward(x, w, y);
    }
    rectifies = rectifies && rectified(forward, x, w, bias, b, y) == CUDNN_STATUS_SUCCESS;
    return rectifies;
  }

  private int rectified(
      Algorithm algorithm, Pointer x, Pointer w, cudnnTensorStruct bias, Pointer b, Pointer y) {
    return cudnnConvolutionBiasActivationForward(
        handle,
        ONE,
        images,
        x,
        weights,
        w,
        convolution,
        algorithm.number,
        memory.atLeast(algorithm.bytes),
        algorithm.bytes,
        ZERO,
        output,
        y,
        bias,
        b,
        rectifier,
        output,
        y);
  }

  private int forward(Algorithm algorithm, Pointer x, Pointer w, Pointer y) {
    return cudnnConvolutionForward(
        handle,
        ONE,
        images,
        x,
        weights,
        w,
        convolution,
        algorithm.number,
        memory.atLeast(algorithm.bytes),
        algorithm.bytes,
        ZERO,
        output,
        y);
  }

  /** dx, of w and dy. */
  void inputGradient(Pointer w, Pointer dy, Pointer dx) {
    if (inputGradient == null) {
      inputGradient = findInputGradient(w, dy, dx);
    }
    check(inputGradient(inputGradient, w, dy, dx), "the gradient of a convolution by its input");
  }

  private int inputGradient(Algorithm algorithm, Pointer w, Pointer dy, Pointer dx) {
    return cudnnConvolutionBackwardData(
        handle,
        ONE,
        weights,
        w,
        output,
        dy,
        convolution,
        algorithm.number,
        memory.atLeast(algorithm.bytes),
        algorithm.bytes,
        ZERO,
        images,
        dx);
  }

  /** dw, of x and dy. */
  void weightGradient(Pointer x, Pointer dy, Pointer dw) {
    if (weightGradient == null) {
      weightGradient = findWeightGradient(x, dy, dw);
    }
    check(
        weightGradient(weightGradient, x, dy, dw), "the gradient of a convolution by its weights");
  }

  private int weightGradient(Algorithm algorithm, Pointer x, Pointer dy, Pointer dw) {
    return cudnnConvolutionBackwardFilter(
        handle,
        ONE,
        images,
        x,
        output,
        dy,
        convolution,
        algorithm.number,
        memory.atLeast(algorithm.bytes),
        algorithm.bytes,
        ZERO,
        weights,
        dw);
  }

  private Algorithm findForward(Pointer x, Pointer w, Pointer y) {
    return find(
        plan -> plan.forward,
        (algorithm, bytes) ->
            cudnnGetConvolutionForwardWorkspaceSize(
                handle, images, weights, convolution, output, algorithm, bytes),
        (found, timed, room) ->
            cudnnFindConvolutionForwardAlgorithmEx(
                handle,
                images,
                x,
                weights,
                w,
                convolution,
                output,
                y,
                MOST,
                found,
                timed,
                room,
                Cudnn.mostBytes()),
        algorithm -> forward(algorithm, x, w, y));
  }

  private Algorithm findInputGradient(Pointer w, Pointer dy, Pointer dx) {
    return find(
        plan -> plan.inputGradient,
        (algorithm, bytes) ->
            cudnnGetConvolutionBackwardDataWorkspaceSize(
                handle, weights, output, convolution, images, algorithm, bytes),
        (found, timed, room) ->
            cudnnFindConvolutionBackwardDataAlgorithmEx(
                handle,
                weights,
                w,
                output,
                dy,
                convolution,
                images,
                dx,
                MOST,
                found,
                new cudnnConvolutionBwdDataAlgoPerf_t(timed),
                room,
                Cudnn.mostBytes()),
        algorithm -> inputGradient(algorithm, w, dy, dx));
  }

  private Algorithm findWeightGradient(Pointer x, Pointer dy, Pointer dw) {
    return find(
        plan -> plan.weightGradient,
        (algorithm, bytes) ->
            cudnnGetConvolutionBackwardFilterWorkspaceSize(
                handle, images, output, convolution, weights, algorithm, bytes),
        (found, timed, room) ->
            cudnnFindConvolutionBackwardFilterAlgorithmEx(
                handle,
                images,
                x,
                output,
                dy,
                convolution,
                weights,
                dw,
                MOST,
                found,
                new cudnnConvolutionBwdFilterAlgoPerf_t(timed),
                room,
                Cudnn.mostBytes()),
        algorithm -> weightGradient(algorithm, x, dy, dw));
  }

  /** Asks how much memory an algorithm needs for this plan's images. */
  private interface Room {
    int ask(int algorithm, SizeTPointer bytes);
  }

  /** Does the work by an algorithm, and returns cuDNN's status. */
  private interface Trial {
    int run(Algorithm algorithm);
  }

  private Algorithm find(
      Function<CudnnPlan, Algorithm> kind, Room room, Search search, Trial trial) {
    Algorithm found = larger == null ? null : kind.apply(larger);
    Stream<Algorithm> timed = Stream.of(0).flatMap(later -> timed(search));
    return Stream.concat(Stream.ofNullable(found), timed)
        .map(algorithm -> algorithm.within(room))
        .filter(algorithm -> algorithm != null && trial.run(algorithm) == CUDNN_STATUS_SUCCESS)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    String.format(
                        "cuDNN has no algorithm within %,d bytes: raise -D%s",
                        Cudnn.mostBytes(), Cudnn.MEMORY)));
  }

  /** Times algorithms. What it finds has the same fields for all kinds of work. */
  private interface Search {
    int run(int[] found, cudnnConvolutionFwdAlgoPerf_t timed, Pointer room);
  }

  /**
   * The algorithms, fastest first. The first search loads them, which would count as their time,
   * and what is queued would count as well. So it waits first, and takes the least time of several
   * searches. cuDNN also times them in other precisions than the one that was asked for; if the
   * times in that one are known, they alone count.
   */
  private Stream<Algorithm> timed(Search search) {
    Nd4j.getExecutioner().commit();
    int[] found = new int[1];
    CudnnMemory room = new CudnnMemory();
    Map<Integer, Algorithm> algorithms = new TreeMap<>();
    Map<Integer, Algorithm> others = new TreeMap<>();
    try (cudnnConvolutionFwdAlgoPerf_t timed = new cudnnConvolutionFwdAlgoPerf_t(MOST)) {
      for (int k = 0; k < SEARCHES; k++) {
        int status = search.run(found, timed.position(0), room.atLeast(Cudnn.mostBytes()));
        check(status, "the search for an algorithm");
        for (int i = 0; i < found[0]; i++) {
          timed.position(i);
          if (isFit(timed.status(), timed.determinism(), timed.memory())) {
            Algorithm next = new Algorithm(timed.algo(), timed.memory(), timed.time());
            (timed.mathType() == math ? algorithms : others)
                .merge(next.number, next, Algorithm::faster);
          }
        }
      }
    } finally {
      room.free();
    }
    return (algorithms.isEmpty() ? others : algorithms)
        .values().stream().sorted(Comparator.comparing(algorithm -> algorithm.milliseconds));
  }

  private static boolean isFit(int status, int determinism, long bytes) {
    return status == CUDNN_STATUS_SUCCESS
        && determinism == CUDNN_DETERMINISTIC
        && bytes <= Cudnn.mostBytes();
  }

  /** What cuDNN found to be fastest. */
  private static final class Algorithm {
    private final int number;
    private final long bytes;
    private final float milliseconds;

    Algorithm(int number, long bytes, float milliseconds) {
      this.number = number;
      this.bytes = bytes;
      this.milliseconds = milliseconds;
    }

    /** With the memory that it needs here, or null if it cannot do this work or needs too much. */
    Algorithm within(Room room) {
      try (SizeTPointer needed = new SizeTPointer(1)) {
        boolean isFit =
            room.ask(number, needed) == CUDNN_STATUS_SUCCESS && needed.get() <= Cudnn.mostBytes();
        return isFit ? new Algorithm(number, needed.get(), milliseconds) : null;
      }
    }

    static Algorithm faster(Algorithm a, Algorithm b) {
      return b.milliseconds < a.milliseconds ? b : a;
    }
  }
}
