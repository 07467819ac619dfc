/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cudnn.CUDNN_DATA_FLOAT;
import static org.bytedeco.cuda.global.cudnn.CUDNN_NOT_PROPAGATE_NAN;
import static org.bytedeco.cuda.global.cudnn.CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
import static org.bytedeco.cuda.global.cudnn.CUDNN_POOLING_MAX_DETERMINISTIC;
import static org.bytedeco.cuda.global.cudnn.CUDNN_STATUS_SUCCESS;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TENSOR_NCHW;
import static org.bytedeco.cuda.global.cudnn.cudnnAddTensor;
import static org.bytedeco.cuda.global.cudnn.cudnnCreate;
import static org.bytedeco.cuda.global.cudnn.cudnnCreatePoolingDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnCreateTensorDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnGetErrorString;
import static org.bytedeco.cuda.global.cudnn.cudnnGetVersion;
import static org.bytedeco.cuda.global.cudnn.cudnnPoolingBackward;
import static org.bytedeco.cuda.global.cudnn.cudnnPoolingForward;
import static org.bytedeco.cuda.global.cudnn.cudnnSetPooling2dDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnSetStream;
import static org.bytedeco.cuda.global.cudnn.cudnnSetTensor4dDescriptor;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.acceleration.Window;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.cudnn.cudnnPoolingStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.jita.allocator.impl.AtomicAllocator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.jcublas.context.CudaContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Convolutions and poolings by cuDNN, on the stream of ND4J's own operations, unless {@value #ON}
 * is {@code false}.
 *
 * <p>For each new shape of images and weights the library times its algorithms; the fastest one is
 * remembered, for fewer images as well. Only those are taken that give the same result each time,
 * and whose memory is within {@value #MEMORY}. They compute in full single precision unless {@value
 * #TF32} is {@code true}.
 */
public final class Cudnn implements DeviceLibrary {

  /** The system property for the megabytes that an algorithm may use; 1024 unless it is set. */
  public static final String MEMORY = "spd4j.cudnn.megabytes";

  /**
   * The system property that lets cuDNN round operands to ten bits, which is faster. It is read at
   * every convolution; each precision has plans of its own.
   */
  public static final String TF32 = "spd4j.cudnn.tf32";

  /** The system property that switches cuDNN off if it is {@code false}. */
  public static final String ON = "spd4j.cudnn";

  private static final Logger LOG = LoggerFactory.getLogger(Cudnn.class);

  static final FloatPointer ONE = new FloatPointer(1f);
  static final FloatPointer ZERO = new FloatPointer(0f);

  /** What belongs to a card, by its number; process-wide, as the card's memory is. */
  private static final Map<Integer, State> CARDS = new HashMap<>();

  /** The handle of a card, the plans made for it, and the memory that all of them share. */
  private static final class State {
    private final cudnnContext handle = new cudnnContext();
    private final CudnnMemory memory = new CudnnMemory();

    /** By what is convolved and how, and by the number of images. */
    private final Map<List<Integer>, NavigableMap<Integer, CudnnPlan>> plans = new HashMap<>();

    private final Map<List<Integer>, cudnnTensorStruct> tensors = new HashMap<>();
    private final Map<List<Integer>, cudnnPoolingStruct> poolings = new HashMap<>();

    State() {
      check(cudnnCreate(handle), "the start");
    }

    cudnnTensorStruct tensor(long... shape) {
      return tensors.computeIfAbsent(asList(shape), Cudnn::newTensor);
    }
  }

  /** For the service loader. */
  public Cudnn() {}

  @Override
  public boolean isUsable() {
    if ("false".equals(System.getProperty(ON))
        || Nd4j.getExecutioner().type() != ExecutionerType.CUDA) {
      return false;
    }
    try {
      LOG.info(
          "Convolutions run on cuDNN {}{}", cudnnGetVersion(), isTf32() ? ", rounded to TF32" : "");
      return true;
    } catch (LinkageError e) { // JavaCPP's class, or the native library behind it, is not there
      LOG.info("Convolutions run by cuBLAS; cuDNN is not there: {}", e.toString());
      return false;
    }
  }

  /** What an algorithm may use of the card's memory. */
  static long mostBytes() {
    return Long.getLong(MEMORY, 1024) << 20;
  }

  static boolean isTf32() {
    return Boolean.getBoolean(TF32);
  }

  @Override
  public void convolve(
      INDArray images, INDArray weights, INDArray bias, Window window, INDArray output) {
    call(
        (card, context) -> {
          Pointer y = CudaAlgebra.memory(output, 0, context);
          plan(card, images.shape(), weights.shape(), window)
              .forward(
                  CudaAlgebra.memory(images, 0, context),
                  CudaAlgebra.memory(weights, 0, context),
                  y);
          check(
              cudnnAddTensor(
                  card.handle,
                  ONE,
                  card.tensor(1, output.size(1), 1, 1),
                  CudaAlgebra.memory(bias, 0, context),
                  ONE,
                  card.tensor(output.shape()),
                  y),
              "the bias of a convolution");
        },
        output,
        images,
        weights,
        bias);
  }

  @Override
  public void inputGradient(INDArray weights, INDArray delta, Window window, INDArray gradient) {
    call(
        (card, context) ->
            plan(card, gradient.shape(), weights.shape(), window)
                .inputGradient(
                    CudaAlgebra.memory(weights, 0, context),
                    CudaAlgebra.memory(delta, 0, context),
                    CudaAlgebra.memory(gradient, 0, context)),
        gradient,
        weights,
        delta);
  }

  @Override
  public void weightGradient(INDArray images, INDArray delta, Window window, INDArray gradient) {
    call(
        (card, context) ->
            plan(card, images.shape(), gradient.shape(), window)
                .weightGradient(
                    CudaAlgebra.memory(images, 0, context),
                    CudaAlgebra.memory(delta, 0, context),
                    CudaAlgebra.memory(gradient, 0, context)),
        gradient,
        images,
        delta);
  }

  /** cuDNN's own took 1.2 ms for 411 MB on an H200, far from what its memory delivers. */
  @Override
  public void biasGradient(INDArray delta, INDArray gradient) {
    if (MatrixStack.isInOrder(gradient)) {
      CudaAlgebra.channelSums(delta, gradient);
    } else {
      INDArray sums = Nd4j.createUninitialized(DataType.FLOAT, gradient.length());
      CudaAlgebra.channelSums(delta, sums);
      gradient.assign(sums.reshape(gradient.shape()));
    }
  }

  @Override
  public void rectify(INDArray values) {
    CudaAlgebra.rectify(values);
  }

  @Override
  public void rectifierGradient(INDArray values, INDArray delta, INDArray gradient) {
    CudaAlgebra.rectifierGradient(values, delta, gradient);
  }

  @Override
  public void pool(INDArray images, Window window, boolean max, INDArray output) {
    call(
        (card, context) ->
            check(
                cudnnPoolingForward(
                    card.handle,
                    pooling(card, window, max),
                    ONE,
                    card.tensor(images.shape()),
                    CudaAlgebra.memory(images, 0, context),
                    ZERO,
                    card.tensor(output.shape()),
                    CudaAlgebra.memory(output, 0, context)),
                "a pooling"),
        output,
        images);
  }

  @Override
  public void poolGradient(
      INDArray images,
      INDArray output,
      INDArray delta,
      Window window,
      boolean max,
      INDArray gradient) {
    call(
        (card, context) ->
            check(
                cudnnPoolingBackward(
                    card.handle,
                    pooling(card, window, max),
                    ONE,
                    card.tensor(output.shape()),
                    CudaAlgebra.memory(output, 0, context),
                    card.tensor(output.shape()),
                    CudaAlgebra.memory(delta, 0, context),
                    card.tensor(images.shape()),
                    CudaAlgebra.memory(images, 0, context),
                    ZERO,
                    card.tensor(images.shape()),
                    CudaAlgebra.memory(gradient, 0, context)),
                "the gradient of a pooling"),
        gradient,
        images,
        output,
        delta);
  }

  private static CudnnPlan plan(State card, long[] images, long[] weights, Window window) {
    List<Integer> size = asList(images);
    List<Integer> key = new ArrayList<>(size.subList(1, size.size()));
    key.addAll(asList(weights));
    for (int axis = 0; axis < 2; axis++) {
      key.addAll(List.of(window.pad(axis), window.stride(axis), window.dilation(axis)));
    }
    key.add(isTf32() ? 1 : 0);
    NavigableMap<Integer, CudnnPlan> plans =
        card.plans.computeIfAbsent(key, convolution -> new TreeMap<>());
    Map.Entry<Integer, CudnnPlan> larger = plans.higherEntry(size.get(0));
    return plans.computeIfAbsent(
        size.get(0),
        number ->
            new CudnnPlan(
                card.handle,
                card.memory,
                card.tensor(images),
                card.tensor(number, weights[0], window.output(0), window.output(1)),
                weights,
                window,
                larger == null ? null : larger.getValue()));
  }

  private static cudnnPoolingStruct pooling(State card, Window w, boolean max) {
    List<Integer> key =
        List.of(
            max ? 1 : 0, w.kernel(0), w.kernel(1), w.pad(0), w.pad(1), w.stride(0), w.stride(1));
    return card.poolings.computeIfAbsent(
        key,
        shapes -> {
          cudnnPoolingStruct pooling = new cudnnPoolingStruct();
          check(cudnnCreatePoolingDescriptor(pooling), "a pooling");
          check(
              cudnnSetPooling2dDescriptor(
                  pooling,
                  max
                      ? CUDNN_POOLING_MAX_DETERMINISTIC
                      : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                  CUDNN_NOT_PROPAGATE_NAN,
                  w.kernel(0),
                  w.kernel(1),
                  w.pad(0),
                  w.pad(1),
                  w.stride(0),
                  w.stride(1)),
              "a pooling");
          return pooling;
        });
  }

  private static cudnnTensorStruct newTensor(List<Integer> shape) {
    cudnnTensorStruct tensor = new cudnnTensorStruct();
    check(cudnnCreateTensorDescriptor(tensor), "an array");
    int status =
        cudnnSetTensor4dDescriptor(
            tensor,
            CUDNN_TENSOR_NCHW,
            CUDNN_DATA_FLOAT,
            shape.get(0),
            shape.get(1),
            shape.get(2),
            shape.get(3));
    check(status, "an array " + shape);
    return tensor;
  }

  private static List<Integer> asList(long[] shape) {
    Integer[] sizes = Arrays.stream(shape).mapToObj(Math::toIntExact).toArray(Integer[]::new);
    return List.of(sizes);
  }

  /** A call of cuDNN. */
  private interface Call {
    void on(State card, CudaContext context);
  }

  /** Calls cuDNN when the operands are on the card, on the stream that brought them there. */
  private static void call(Call call, INDArray result, INDArray... operands) {
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    CudaContext context = CudaAlgebra.prepare(result, operands);
    synchronized (CudaAlgebra.LOCK) {
      State card = CARDS.computeIfAbsent(allocator.getDeviceId(), number -> new State());
      CUstream_st stream = new CUstream_st(context.getCublasStream());
      check(cudnnSetStream(card.handle, stream), "a stream");
      call.on(card, context);
    }
    allocator.getFlowController().registerAction(context, result, operands);
  }

  static void check(int status, String what) {
    if (status != CUDNN_STATUS_SUCCESS) {
      throw new IllegalStateException(
          "cuDNN failed at " + what + ": " + cudnnGetErrorString(status).getString());
    }
  }
}
