/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cudnn.CUDNN_NOT_PROPAGATE_NAN;
import static org.bytedeco.cuda.global.cudnn.CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
import static org.bytedeco.cuda.global.cudnn.CUDNN_POOLING_MAX_DETERMINISTIC;
import static org.bytedeco.cuda.global.cudnn.CUDNN_STATUS_SUCCESS;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.cudnn.cudnnPoolingStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.jita.allocator.impl.AtomicAllocator;
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
 * and whose memory is within {@value #MEMORY}.
 */
public final class Cudnn implements DeviceLibrary {

  /** The system property for the megabytes that an algorithm may use; 1024 unless it is set. */
  public static final String MEMORY = "spd4j.cudnn.megabytes";

  /** The system property that switches cuDNN off if it is {@code false}. */
  public static final String ON = "spd4j.cudnn";

  private static final int FEW_CHANNELS = 4;

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

    /** What convolutions with the channels last take and make. */
    private final ChannelsLast images = new ChannelsLast();

    private final ChannelsLast weights = new ChannelsLast();
    private final ChannelsLast output = new ChannelsLast();

    private final CudnnMemory sums = new CudnnMemory();

    private final Map<CudnnType, Map<List<Integer>, cudnnTensorStruct>> tensors =
        new EnumMap<>(CudnnType.class);
    private final Map<List<Integer>, cudnnPoolingStruct> poolings = new HashMap<>();

    State() {
      check(cudnnCreate(handle), "the start");
    }

    /** The descriptor of an array, with the channels that fill it up. */
    cudnnTensorStruct tensor(CudnnType type, long... shape) {
      List<Integer> sizes = asList(shape[0], type.filledUp(shape[1]), shape[2], shape[3]);
      return tensors
          .computeIfAbsent(type, any -> new HashMap<>())
          .computeIfAbsent(sizes, any -> newTensor(type, sizes));
    }
  }

  private final CudnnType type;

  /** For the service loader. */
  public Cudnn() {
    this(CudnnType.FLOAT);
  }

  Cudnn(CudnnType type) {
    this.type = type;
  }

  @Override
  public boolean isUsable() {
    if ("false".equals(System.getProperty(ON))
        || Nd4j.getExecutioner().type() != ExecutionerType.CUDA) {
      return false;
    }
    try {
      LOG.info("Convolutions run on cuDNN {}", cudnnGetVersion());
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

  @Override
  public Optional<DeviceLibrary> rounding(Rounding rounding) {
    if (!Kernels.hasTensorCores(AtomicAllocator.getInstance().getDeviceId())) {
      return Optional.empty();
    }
    return Optional.of(new Cudnn(rounding == Rounding.TF32 ? CudnnType.TF32 : CudnnType.BFLOAT16));
  }

  @Override
  public void convolve(
      INDArray images,
      INDArray weights,
      INDArray bias,
      Window window,
      boolean rectified,
      INDArray output) {
    CudnnType type = typeFor(images);
    call(
        (card, stream, context) -> {
          Pointer x = CudaAlgebra.memory(images, 0, context);
          Pointer w = CudaAlgebra.memory(weights, 0, context);
          Pointer b = CudaAlgebra.memory(bias, 0, context);
          Pointer y = CudaAlgebra.memory(output, 0, context);
          CudnnPlan plan = plan(card, type, images.shape(), weights.shape(), window);
          if (type.hasChannelsLast()) {
            plan.forward(
                card.images.copy(x, type, images.shape(), images.size(0), stream),
                card.weights.copy(w, type, weights.shape(), rows(type, weights), stream),
                card.output.room(type, output.shape()));
            card.output.copyBack(y, type, output.shape(), b, rectified, stream);
          } else if (!rectified
              || !plan.rectified(x, w, card.tensor(type, 1, weights.size(0), 1, 1), b, y)) {
            plan.forward(x, w, y);
            CudaAlgebra.addBias(y, output.shape(), b, rectified, stream);
          }
        },
        output,
        images,
        weights,
        bias);
  }

  @Override
  public void gradients(
      INDArray images,
      INDArray weights,
      INDArray delta,
      Window window,
      INDArray byWeights,
      INDArray byBias,
      INDArray byImages) {
    CudnnType type = typeFor(images);
    call(
        (card, stream, context) -> {
          Pointer x = CudaAlgebra.memory(images, 0, context);
          Pointer w = CudaAlgebra.memory(weights, 0, context);
          Pointer dy = CudaAlgebra.memory(delta, 0, context);
          Pointer dw = CudaAlgebra.memory(byWeights, 0, context);
          Pointer dx = CudaAlgebra.memory(byImages, 0, context);
          CudnnPlan plan = plan(card, type, images.shape(), weights.shape(), window);
          // cuDNN's own took 1.2 ms for 411 MB on an H200
          CudaAlgebra.channelSums(
              dy, delta.shape(), CudaAlgebra.memory(byBias, 0, context), card.sums, stream);
          if (type.hasChannelsLast()) {
            Pointer deltas = card.output.copy(dy, type, delta.shape(), delta.size(0), stream);
            plan.weightGradient(
                card.images.copy(x, type, images.shape(), images.size(0), stream),
                deltas,
                card.weights.room(type, filledUp(type, weights)));
            card.weights.copyBack(dw, type, weights.shape(), null, false, stream);
            plan.inputGradient(
                card.weights.copy(w, type, weights.shape(), rows(type, weights), stream),
                deltas,
                card.images.room(type, images.shape()));
            card.images.copyBack(dx, type, images.shape(), null, false, stream);
          } else {
            plan.weightGradient(x, dy, dw);
            plan.inputGradient(w, dy, dx);
          }
        },
        new INDArray[] {byImages, byWeights, byBias},
        images,
        weights,
        delta);
  }

  /** Colours stay as they are: filled up to eight channels they would take longer. */
  private CudnnType typeFor(INDArray images) {
    boolean hasColours = images.size(1) < FEW_CHANNELS;
    return type == CudnnType.BFLOAT16 && hasColours ? CudnnType.TF32 : type;
  }

  /** As many rows of weights as the output has channels, with those that fill it up. */
  private static long rows(CudnnType type, INDArray weights) {
    return type.filledUp(weights.size(0));
  }

  private static long[] filledUp(CudnnType type, INDArray weights) {
    long[] shape = weights.shape().clone();
    shape[0] = rows(type, weights);
    return shape;
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
        (card, stream, context) ->
            check(
                cudnnPoolingForward(
                    card.handle,
                    pooling(card, window, max),
                    ONE,
                    card.tensor(CudnnType.FLOAT, images.shape()),
                    CudaAlgebra.memory(images, 0, context),
                    ZERO,
                    card.tensor(CudnnType.FLOAT, output.shape()),
                    CudaAlgebra.memory(output, 0, context)),
                "a pooling"),
        output,
        images);
  }

  /** cuDNN asks for the output, which a kernel can do without where no window meets another. */
  @Override
  public void poolGradient(
      INDArray images, INDArray delta, Window window, boolean max, INDArray gradient) {
    if (max && window.isInside() && isApart(window, 0) && isApart(window, 1)) {
      CudaAlgebra.largestGradient(images, delta, window, gradient);
      return;
    }
    call(
        (card, stream, context) -> {
          cudnnPoolingStruct pooling = pooling(card, window, max);
          cudnnTensorStruct input = card.tensor(CudnnType.FLOAT, images.shape());
          cudnnTensorStruct output = card.tensor(CudnnType.FLOAT, delta.shape());
          Pointer x = CudaAlgebra.memory(images, 0, context);
          Pointer y = card.memory.atLeast(delta.length() * Float.BYTES);
          check(
              cudnnPoolingForward(card.handle, pooling, ONE, input, x, ZERO, output, y),
              "a pooling");
          check(
              cudnnPoolingBackward(
                  card.handle,
                  pooling,
                  ONE,
                  output,
                  y,
                  output,
                  CudaAlgebra.memory(delta, 0, context),
                  input,
                  x,
                  ZERO,
                  input,
                  CudaAlgebra.memory(gradient, 0, context)),
              "the gradient of a pooling");
        },
        gradient,
        images,
        delta);
  }

  private static boolean isApart(Window window, int axis) {
    return window.stride(axis) == window.kernel(axis);
  }

  private static CudnnPlan plan(
      State card, CudnnType type, long[] images, long[] weights, Window window) {
    List<Integer> size = asList(images);
    List<Integer> key = new ArrayList<>(size.subList(1, size.size()));
    key.addAll(asList(weights));
    for (int axis = 0; axis < 2; axis++) {
      key.addAll(List.of(window.pad(axis), window.stride(axis), window.dilation(axis)));
    }
    key.add(type.ordinal());
    NavigableMap<Integer, CudnnPlan> plans =
        card.plans.computeIfAbsent(key, convolution -> new TreeMap<>());
    Map.Entry<Integer, CudnnPlan> larger = plans.higherEntry(size.get(0));
    return plans.computeIfAbsent(
        size.get(0),
        number ->
            new CudnnPlan(
                card.handle,
                card.memory,
                type,
                card.tensor(type, images),
                card.tensor(type, number, weights[0], window.output(0), window.output(1)),
                new long[] {
                  type.filledUp(weights[0]), type.filledUp(weights[1]), weights[2], weights[3]
                },
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

  private static cudnnTensorStruct newTensor(CudnnType type, List<Integer> shape) {
    cudnnTensorStruct tensor = new cudnnTensorStruct();
    check(cudnnCreateTensorDescriptor(tensor), "an array");
    int status =
        cudnnSetTensor4dDescriptor(
            tensor,
            type.format,
            type.number,
            shape.get(0),
            shape.get(1),
            shape.get(2),
            shape.get(3));
    check(status, "an array " + shape);
    return tensor;
  }

  private static List<Integer> asList(long... shape) {
    Integer[] sizes = Arrays.stream(shape).mapToObj(Math::toIntExact).toArray(Integer[]::new);
    return List.of(sizes);
  }

  /** A call of cuDNN. */
  private interface Call {
    void on(State card, CUstream_st stream, CudaContext context);
  }

  private static void call(Call call, INDArray result, INDArray... operands) {
    call(call, new INDArray[] {result}, operands);
  }

  /** Calls cuDNN when the operands are on the card, on the stream that brought them there. */
  private static void call(Call call, INDArray[] results, INDArray... operands) {
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    CudaContext context = CudaAlgebra.prepare(null, operands);
    for (INDArray result : results) {
      CudaAlgebra.prepare(result);
    }
    synchronized (CudaAlgebra.LOCK) {
      State card = CARDS.computeIfAbsent(allocator.getDeviceId(), number -> new State());
      CUstream_st stream = new CUstream_st(context.getCublasStream());
      check(cudnnSetStream(card.handle, stream), "a stream");
      call.on(card, stream, context);
    }
    allocator.getFlowController().registerAction(context, null, operands);
    allocator.getFlowController().registerActionAllWrite(context, results);
  }

  static void check(int status, String what) {
    if (status != CUDNN_STATUS_SUCCESS) {
      throw new IllegalStateException(
          "cuDNN failed at " + what + ": " + cudnnGetErrorString(status).getString());
    }
  }
}
