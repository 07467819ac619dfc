/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_N;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_T;
import static org.bytedeco.cuda.global.cublas.CUBLAS_STATUS_SUCCESS;
import static org.bytedeco.cuda.global.cublas.cublasDgemmStridedBatched;
import static org.bytedeco.cuda.global.cublas.cublasSetStream_v2;
import static org.bytedeco.cuda.global.cublas.cublasSgemmStridedBatched;

import io.github.spd4j.internal.acceleration.Window;
import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.LocalResponse;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.HostEigen;
import io.github.spd4j.internal.cuda.Kernels.Shape;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.jita.allocator.impl.AllocationPoint;
import org.nd4j.jita.allocator.impl.AtomicAllocator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.jcublas.context.CudaContext;

/**
 * Products of stacks by cuBLAS's {@code gemmStridedBatched}, and {@link Kernels} for what cuBLAS
 * has no function for: one call for all matrices of a stack, on the stream of ND4J's own
 * operations, so that nothing waits for anything.
 */
public final class CudaAlgebra implements Algebra {

  private static final Shape THREADS = Shape.of(256);
  private static final Shape MANY_THREADS = Shape.of(1024);
  private static final int TILE = 32;
  private static final Shape TILE_THREADS = new Shape(TILE, 8, 1);

  /** How many numbers make it worth another block, and how many blocks there are at most. */
  private static final int PART = 4096;

  private static final int MOST_PARTS = 64;

  /** As many blocks of threads as keep a card busy. */
  private static final int MOST_BLOCKS = 512;

  /** The rows of the largest matrix that a block decomposes, as in the kernel. */
  private static final int MOST_ROWS = 96;

  /** Handles of the libraries belong to a device, and their stream is set before each call. */
  static final Object LOCK = new Object();

  /** The kernels by card, which are loaded with the first call. */
  private static final Map<Integer, Kernels> KERNELS = new HashMap<>();

  /** For the service loader. */
  public CudaAlgebra() {}

  @Override
  public boolean isForBackend() {
    return Nd4j.getExecutioner().type() == ExecutionerType.CUDA;
  }

  @Override
  public boolean isOnDevice() {
    return true;
  }

  @Override
  public void relieve() {
    CardMemory.relieve();
  }

  /**
   * cuBLAS goes by columns: the transposed product of the transposed matrices. Its function for any
   * type, {@code cublasGemmStridedBatchedEx}, refuses matrices that do not begin at a multiple of
   * 16 bytes, as those of shifted maps do.
   */
  @Override
  public void multiply(
      double alpha, MatrixStack a, MatrixStack b, double beta, MatrixStack c, int count) {
    boolean exact = c.array().dataType() == DataType.DOUBLE;
    int left = operation(b);
    int right = operation(a);
    int m = c.columns();
    int n = c.rows();
    int k = a.columns();
    call(
        (handle, context) -> {
          Pointer x = memory(b, context);
          Pointer y = memory(a, context);
          Pointer z = memory(c, context);
          try (DoublePointer factors = new DoublePointer(alpha, beta);
              FloatPointer floats = new FloatPointer((float) alpha, (float) beta)) {
            return exact
                ? cublasDgemmStridedBatched(
                    handle,
                    left,
                    right,
                    m,
                    n,
                    k,
                    factors,
                    (DoublePointer) x,
                    b.pitch(),
                    b.step(),
                    (DoublePointer) y,
                    a.pitch(),
                    a.step(),
                    factors.getPointer(1),
                    (DoublePointer) z,
                    c.pitch(),
                    c.step(),
                    count)
                : cublasSgemmStridedBatched(
                    handle,
                    left,
                    right,
                    m,
                    n,
                    k,
                    floats,
                    (FloatPointer) x,
                    b.pitch(),
                    b.step(),
                    (FloatPointer) y,
                    a.pitch(),
                    a.step(),
                    floats.getPointer(1),
                    (FloatPointer) z,
                    c.pitch(),
                    c.step(),
                    count);
          }
        },
        c.array(),
        a.array(),
        b.array());
  }

  @Override
  public void add(double alpha, INDArray a, INDArray c) {
    launch("add", fours(c), THREADS, new INDArray[] {a, c}, c.length(), bits(alpha));
  }

  @Override
  public void scaleRows(INDArray matrix, INDArray factors, INDArray products) {
    scale("scaleRows", matrix, factors, products);
  }

  @Override
  public void scaleColumns(INDArray matrix, INDArray factors, INDArray products) {
    scale("scaleColumns", matrix, factors, products);
  }

  private static void scale(String name, INDArray matrix, INDArray factors, INDArray products) {
    INDArray[] arrays = {matrix, factors, products};
    launch(name, fours(matrix), THREADS, arrays, matrix.length(), matrix.size(1));
  }

  @Override
  public void copy(INDArray source, long from, INDArray target, long to, int step, int count) {
    INDArray[] arrays = {source, target};
    launch("copy", fours(count), THREADS, arrays, from, to, step, count);
  }

  /** ND4J's own way may wait until everything that is queued is done. */
  @Override
  public void copy(INDArray source, INDArray target) {
    boolean inOrder = MatrixStack.isInOrder(source) && MatrixStack.isInOrder(target);
    boolean sameType = source.dataType() == target.dataType() && isReal(source);
    if (inOrder && sameType) {
      long count = source.length();
      launch("copy", fours(count), THREADS, new INDArray[] {source, target}, 0, 0, 1, count);
    } else {
      target.assign(source);
    }
  }

  @Override
  public void packTriangles(INDArray matrices, INDArray vectors) {
    long n = matrices.size(2);
    Shape rows = Shape.of(matrices.size(0) * n);
    launch("packTriangles", rows, THREADS, new INDArray[] {matrices, vectors}, n);
  }

  @Override
  public void unpackSymmetric(INDArray vectors, INDArray matrices) {
    long n = matrices.size(2);
    Shape rows = Shape.of(matrices.size(0) * n);
    launch("unpackSymmetric", rows, THREADS, new INDArray[] {vectors, matrices}, n);
  }

  @Override
  public void addTransposed(INDArray matrices, double alpha, INDArray sums) {
    long n = matrices.size(2);
    long tiles = (n + TILE - 1) / TILE;
    launch(
        "addTransposed",
        new Shape(tiles, tiles, matrices.size(0)),
        TILE_THREADS,
        new INDArray[] {matrices, sums},
        n,
        bits(alpha));
  }

  @Override
  public void squaredDistances(INDArray gram, double kept, INDArray norms, INDArray sums) {
    long n = gram.size(2);
    Shape matrices = Shape.of(gram.size(0));
    launch("diagonals", matrices, MANY_THREADS, new INDArray[] {gram, norms}, n);
    Shape rows = Shape.of(gram.size(0) * n);
    INDArray[] arrays = {gram, norms, sums};
    launch("squaredDistances", rows, THREADS, arrays, n, bits(kept));
  }

  @Override
  public void exponentials(INDArray matrices, INDArray factors) {
    long rows = matrices.size(1);
    Shape all = Shape.of(matrices.size(0) * rows);
    INDArray[] arrays = {matrices, factors};
    launch("exponentials", all, THREADS, arrays, rows, matrices.size(2));
  }

  @Override
  public void signedRoots(INDArray vectors, INDArray weights, double floor, INDArray roots) {
    long length = vectors.size(1);
    Shape parts = new Shape((length + THREADS.x - 1) / THREADS.x, vectors.size(0), 1);
    INDArray[] arrays = {vectors, weights, roots};
    launch("signedRoots", parts, THREADS, arrays, length, bits(floor));
  }

  @Override
  public void rowProducts(double alpha, INDArray a, INDArray b, INDArray products) {
    Shape rows = Shape.of(a.size(0));
    INDArray[] arrays = {a, b, products};
    launch("rowProducts", rows, MANY_THREADS, arrays, a.size(1), bits(alpha));
  }

  @Override
  public void inverseRoots(INDArray numbers, double factor, double bound) {
    inverses("inverseRoots", numbers, factor, bound);
  }

  @Override
  public void inverseSquares(INDArray numbers, double factor, double bound) {
    inverses("inverseSquares", numbers, factor, bound);
  }

  private static void inverses(String name, INDArray numbers, double factor, double bound) {
    INDArray[] arrays = {numbers};
    launch(name, Shape.of(1), THREADS, arrays, numbers.length(), bits(factor), bits(bound));
  }

  /** A block a matrix, or a pair of its blocks of rows; the largest by LAPACK. */
  @Override
  public void eigen(INDArray matrices, INDArray values, INDArray vectors) {
    long n = matrices.size(2);
    long rows = n + n % 2;
    if (n <= MOST_ROWS) {
      kernels(kernels -> kernels.sharedMemory("eigen_double"));
      Shape threads = MANY_THREADS.sharing(rows * (rows + 1) / 2 * Double.BYTES);
      launch(
          "eigen",
          Shape.of(matrices.size(0)),
          threads,
          new INDArray[] {matrices, values, vectors},
          n);
    } else if (kernels(kernels -> BlockedEigen.isFor(n, kernels))) {
      BlockedEigen.decompose(matrices, values, vectors);
    } else {
      HostEigen.decompose(matrices, values, vectors);
    }
  }

  @Override
  public void normalize(INDArray maps, LocalResponse response, INDArray output) {
    normalize("normalize", response, maps, output);
  }

  @Override
  public void normalizeGradient(
      INDArray maps, INDArray delta, LocalResponse response, INDArray gradient) {
    normalize("normalizeGradient", response, maps, delta, gradient);
  }

  private static void normalize(String name, LocalResponse response, INDArray... arrays) {
    long count = arrays[0].length();
    long channels = arrays[0].size(1);
    launch(
        name,
        Shape.of((count + THREADS.x - 1) / THREADS.x),
        THREADS,
        arrays,
        count,
        channels,
        count / arrays[0].size(0) / channels,
        response.reach(),
        bits(response.alpha()),
        bits(response.beta()),
        bits(response.k()));
  }

  @Override
  public Supplier<double[]> squares(INDArray numbers, long step) {
    long count = (numbers.length() + step - 1) / step;
    long blocks = Math.min(MOST_PARTS, (count + PART - 1) / PART);
    return figures("squares", Shape.of(blocks), MANY_THREADS, numbers, count, step);
  }

  @Override
  public Supplier<double[]> asymmetries(INDArray matrices, long step) {
    Shape all = Shape.of(matrices.size(0));
    return figures("asymmetries", all, THREADS, matrices, matrices.size(2), step);
  }

  /**
   * Sums over the images and places of [N, C, H, W]. Few channels are divided among several blocks.
   *
   * @param room memory for what comes out of each
   */
  static void channelSums(
      Pointer images, long[] shape, Pointer sums, CudnnMemory room, CUstream_st stream) {
    long channels = shape[1];
    long places = shape[2] * shape[3];
    long shares = Math.max(1, Math.min(shape[0], MOST_BLOCKS / channels));
    long parts =
        shares == 1 ? address(sums) : address(room.atLeast(shares * channels * Float.BYTES));
    Shape threads = places < MANY_THREADS.x ? THREADS : MANY_THREADS;
    Shape blocks = new Shape(channels, shares, 1);
    String name = "channelSums_float";
    kernels()
        .launch(name, blocks, threads, stream, address(images), parts, shape[0], channels, places);
    if (shares > 1) {
      Shape each = Shape.of(channels);
      kernels().launch(name, each, THREADS, stream, parts, address(sums), shares, channels, 1);
    }
  }

  /** The gradient of the largest of windows of images [N, C, H, W] that lie side by side. */
  static void largestGradient(INDArray images, INDArray delta, Window window, INDArray gradient) {
    if (window.output(0) * window.kernel(0) != images.size(2)
        || window.output(1) * window.kernel(1) != images.size(3)) {
      gradient.assign(0); // what no window reaches
    }
    launch(
        "largestGradient",
        Shape.of((delta.length() + THREADS.x - 1) / THREADS.x),
        THREADS,
        new INDArray[] {images, delta, gradient},
        delta.length(),
        images.size(2),
        images.size(3),
        window.output(0),
        window.output(1),
        window.kernel(0),
        window.kernel(1));
  }

  /** Adds a bias to images [N, C, H, W], and rectifies them if asked to. */
  static void addBias(
      Pointer images, long[] shape, Pointer bias, boolean rectified, CUstream_st stream) {
    long places = shape[2] * shape[3];
    Shape maps = new Shape(shape[0] * shape[1], fours(places).x, 1);
    kernels()
        .launch(
            "addBias_float",
            maps,
            THREADS,
            stream,
            address(images),
            address(bias),
            shape[1],
            places,
            rectified ? 1 : 0);
  }

  static void rectify(INDArray values) {
    launch("rectify", fours(values), THREADS, new INDArray[] {values}, values.length());
  }

  static void rectifierGradient(INDArray values, INDArray delta, INDArray gradient) {
    INDArray[] arrays = {values, delta, gradient};
    launch("rectifierGradient", fours(values), THREADS, arrays, values.length());
  }

  private static Shape fours(INDArray values) {
    return fours(values.length());
  }

  /** A thread takes four numbers. */
  private static Shape fours(long count) {
    long numbers = 4L * THREADS.x;
    return Shape.of((count + numbers - 1) / numbers);
  }

  /** Launches a kernel that makes a figure a block of an array. Reading waits for the figures. */
  private static Supplier<double[]> figures(
      String name, Shape grid, Shape threads, INDArray array, long... numbers) {
    HostNumbers figures = HostNumbers.of(grid.x);
    long[] values =
        LongStream.concat(LongStream.of(figures.address()), LongStream.of(numbers)).toArray();
    CudaContext context = queue(name, grid, threads, new INDArray[] {array}, values);
    AtomicAllocator.getInstance().getFlowController().registerAction(context, null, array);
    return () -> figures.read(new CUstream_st(context.getCublasStream()), grid.x);
  }

  private static boolean isReal(INDArray array) {
    return array.dataType() == DataType.FLOAT || array.dataType() == DataType.DOUBLE;
  }

  private static long bits(double number) {
    return Double.doubleToRawLongBits(number);
  }

  /** Launches a kernel for the type of the arrays, any of which it may change. */
  private static void launch(
      String name, Shape grid, Shape threads, INDArray[] arrays, long... numbers) {
    CudaContext context = queue(name, grid, threads, arrays, numbers);
    AtomicAllocator.getInstance().getFlowController().registerActionAllWrite(context, arrays);
  }

  private static CudaContext queue(
      String name, Shape grid, Shape threads, INDArray[] arrays, long... numbers) {
    for (INDArray array : arrays) {
      boolean sameType = array.dataType() == arrays[0].dataType() && isReal(array);
      if (!sameType || !MatrixStack.isInOrder(array)) {
        throw new IllegalArgumentException(
            name
                + " needs arrays in C order, all FLOAT or all DOUBLE, got "
                + array.shapeInfoToString());
      }
    }
    String ofType = name + (arrays[0].dataType() == DataType.DOUBLE ? "_double" : "_float");
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    CudaContext context = prepare(arrays[arrays.length - 1], arrays);
    long[] values = new long[arrays.length + numbers.length];
    for (int i = 0; i < arrays.length; i++) {
      values[i] = allocator.getPointer(arrays[i], context).address();
    }
    System.arraycopy(numbers, 0, values, arrays.length, numbers.length);
    CUstream_st stream = new CUstream_st(context.getCublasStream());
    return kernels(
        kernels -> {
          kernels.launch(ofType, grid, threads, stream, values);
          return context;
        });
  }

  /** The kernels of the present card, for who holds the lock. */
  static Kernels kernels() {
    return kernels(kernels -> kernels);
  }

  /** The place of an element on the card. */
  static long address(Pointer element) {
    return element.address() + element.position() * element.sizeof();
  }

  /** What the kernels of the present card make of something. */
  private static <T> T kernels(Function<Kernels, T> work) {
    int device = AtomicAllocator.getInstance().getDeviceId();
    synchronized (LOCK) {
      return work.apply(KERNELS.computeIfAbsent(device, card -> new Kernels()));
    }
  }

  /**
   * Brings what is not on the device there. What is there is kept from ND4J, which would pin as
   * much memory of the host for it: that took 10 of the 25 ms of VGG-16's forward pass.
   */
  static CudaContext prepare(INDArray result, INDArray... operands) {
    Nd4j.getExecutioner().push();
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    INDArray[] elsewhere =
        Stream.of(operands).filter(array -> !isOnDevice(array)).toArray(INDArray[]::new);
    INDArray missing = result == null || isOnDevice(result) ? null : result;
    CudaContext context = allocator.getFlowController().prepareAction(missing, elsewhere);
    Stream.concat(Stream.of(operands), Stream.ofNullable(result))
        .forEach(array -> allocator.getAllocationPoint(array).setCurrentContext(context));
    return context;
  }

  private static boolean isOnDevice(INDArray array) {
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    AllocationPoint point = allocator.getAllocationPoint(array);
    return point.getDeviceId() == allocator.getDeviceId() && point.isActualOnDeviceSide();
  }

  /** A call of cuBLAS that returns its status. */
  private interface Call {
    int on(cublasContext handle, CudaContext context);
  }

  /** Calls cuBLAS when the operands are on the device, on the stream that brought them there. */
  private static void call(Call call, INDArray result, INDArray... operands) {
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    CudaContext context = prepare(result, operands);
    int status;
    synchronized (LOCK) {
      cublasContext handle = new cublasContext(context.getCublasHandle());
      cublasSetStream_v2(handle, new CUstream_st(context.getCublasStream()));
      status = call.on(handle, context);
    }
    if (status != CUBLAS_STATUS_SUCCESS) {
      throw new IllegalStateException("cuBLAS failed, with status " + status);
    }
    allocator.getFlowController().registerAction(context, result, operands);
  }

  private static int operation(MatrixStack stack) {
    return stack.isTransposed() ? CUBLAS_OP_T : CUBLAS_OP_N;
  }

  private static Pointer memory(MatrixStack stack, CudaContext context) {
    return memory(stack.array(), stack.offset(), context);
  }

  /** Where an element of an array is on the device. */
  static Pointer memory(INDArray array, long offset, CudaContext context) {
    Pointer start = AtomicAllocator.getInstance().getPointer(array, context);
    return array.dataType() == DataType.DOUBLE
        ? new DoublePointer(start).position(offset)
        : new FloatPointer(start).position(offset);
  }
}
