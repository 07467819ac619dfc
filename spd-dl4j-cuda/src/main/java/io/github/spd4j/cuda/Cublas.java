/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cuda;

import static org.bytedeco.cuda.global.cublas.CUBLAS_FILL_MODE_LOWER;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_N;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_T;
import static org.bytedeco.cuda.global.cublas.CUBLAS_SIDE_LEFT;
import static org.bytedeco.cuda.global.cublas.CUBLAS_SIDE_RIGHT;
import static org.bytedeco.cuda.global.cublas.CUBLAS_STATUS_SUCCESS;
import static org.bytedeco.cuda.global.cublas.cublasDcopy_v2;
import static org.bytedeco.cuda.global.cublas.cublasDdgmm;
import static org.bytedeco.cuda.global.cublas.cublasDgeam;
import static org.bytedeco.cuda.global.cublas.cublasDgemmStridedBatched;
import static org.bytedeco.cuda.global.cublas.cublasDtpttr;
import static org.bytedeco.cuda.global.cublas.cublasDtrttp;
import static org.bytedeco.cuda.global.cublas.cublasScopy_v2;
import static org.bytedeco.cuda.global.cublas.cublasSdgmm;
import static org.bytedeco.cuda.global.cublas.cublasSetStream_v2;
import static org.bytedeco.cuda.global.cublas.cublasSgeam;
import static org.bytedeco.cuda.global.cublas.cublasSgemmStridedBatched;
import static org.bytedeco.cuda.global.cublas.cublasStpttr;
import static org.bytedeco.cuda.global.cublas.cublasStrttp;

import io.github.spd4j.linalg.MatrixLibrary;
import io.github.spd4j.linalg.MatrixStack;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.jita.allocator.impl.AtomicAllocator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.jcublas.context.CudaContext;

/**
 * Products of stacks by cuBLAS's {@code gemmStridedBatched}, one call for all of them, on the
 * stream of ND4J's own operations: nothing waits for anything.
 */
public final class Cublas implements MatrixLibrary {

  /** What is the upper triangle row by row is the lower one by columns, as cuBLAS goes. */
  private static final int LOWER = CUBLAS_FILL_MODE_LOWER;

  /** cuBLAS handles belong to a device, and their stream is set before each call. */
  private static final Object LOCK = new Object();

  /** For the service loader. */
  public Cublas() {}

  @Override
  public boolean isForBackend() {
    return Nd4j.getExecutioner().type() == ExecutionerType.CUDA;
  }

  @Override
  public void multiply(
      double alpha, MatrixStack a, MatrixStack b, double beta, MatrixStack c, int count) {
    boolean exact = c.array().dataType() == DataType.DOUBLE;
    call(
        (handle, context) ->
            exact
                ? inDouble(handle, context, alpha, a, b, beta, c, count)
                : inFloat(handle, context, alpha, a, b, beta, c, count),
        c.array(),
        a.array(),
        b.array());
  }

  @Override
  public void scaleRows(INDArray matrix, INDArray factors) {
    scale(CUBLAS_SIDE_RIGHT, matrix, factors);
  }

  @Override
  public void scaleColumns(INDArray matrix, INDArray factors) {
    scale(CUBLAS_SIDE_LEFT, matrix, factors);
  }

  private static void scale(int side, INDArray matrix, INDArray factors) {
    int rows = Math.toIntExact(matrix.size(0));
    int columns = Math.toIntExact(matrix.size(1));
    boolean exact = matrix.dataType() == DataType.DOUBLE;
    call(
        (handle, context) -> {
          Pointer m = memory(matrix, context);
          Pointer f = memory(factors, context);
          if (exact) {
            DoublePointer a = doubles(m, 0);
            DoublePointer x = doubles(f, 0);
            return cublasDdgmm(handle, side, columns, rows, a, columns, x, 1, a, columns);
          }
          FloatPointer a = floats(m, 0);
          return cublasSdgmm(handle, side, columns, rows, a, columns, floats(f, 0), 1, a, columns);
        },
        matrix,
        factors);
  }

  @Override
  public void copy(INDArray source, long from, INDArray target, long to, int step, int count) {
    boolean exact = source.dataType() == DataType.DOUBLE;
    call(
        (handle, context) -> {
          Pointer x = memory(source, context);
          Pointer y = memory(target, context);
          return exact
              ? cublasDcopy_v2(handle, count, doubles(x, from), 1, doubles(y, to), step)
              : cublasScopy_v2(handle, count, floats(x, from), 1, floats(y, to), step);
        },
        target,
        source);
  }

  @Override
  public void packTriangles(INDArray matrices, INDArray vectors) {
    int n = Math.toIntExact(matrices.size(2));
    boolean exact = matrices.dataType() == DataType.DOUBLE;
    call(
        (handle, context) -> {
          Pointer from = memory(matrices, context);
          Pointer to = memory(vectors, context);
          int status = CUBLAS_STATUS_SUCCESS;
          for (long i = 0; i < matrices.size(0) && status == CUBLAS_STATUS_SUCCESS; i++) {
            long matrix = i * n * n;
            long vector = i * vectors.size(1);
            status =
                exact
                    ? cublasDtrttp(handle, LOWER, n, doubles(from, matrix), n, doubles(to, vector))
                    : cublasStrttp(handle, LOWER, n, floats(from, matrix), n, floats(to, vector));
          }
          return status;
        },
        vectors,
        matrices);
  }

  @Override
  public void unpackTriangles(INDArray vectors, INDArray matrices) {
    int n = Math.toIntExact(matrices.size(2));
    boolean exact = matrices.dataType() == DataType.DOUBLE;
    call(
        (handle, context) -> {
          Pointer from = memory(vectors, context);
          Pointer to = memory(matrices, context);
          int status = CUBLAS_STATUS_SUCCESS;
          for (long i = 0; i < matrices.size(0) && status == CUBLAS_STATUS_SUCCESS; i++) {
            long matrix = i * n * n;
            long vector = i * vectors.size(1);
            status =
                exact
                    ? cublasDtpttr(handle, LOWER, n, doubles(from, vector), doubles(to, matrix), n)
                    : cublasStpttr(handle, LOWER, n, floats(from, vector), floats(to, matrix), n);
          }
          return status;
        },
        matrices,
        vectors);
  }

  @Override
  public void addTransposed(INDArray matrices, double alpha, INDArray sums) {
    boolean exact = matrices.dataType() == DataType.DOUBLE;
    call(
        (handle, context) -> {
          Pointer from = memory(matrices, context);
          Pointer to = memory(sums, context);
          int n = Math.toIntExact(matrices.size(2));
          long step = (long) n * n;
          return exact
              ? sumsInDouble(handle, n, alpha, from, to, step, matrices.size(0))
              : sumsInFloat(handle, n, alpha, from, to, step, matrices.size(0));
        },
        sums,
        matrices);
  }

  private static int sumsInFloat(
      cublasContext handle, int n, double alpha, Pointer from, Pointer to, long step, long count) {
    int status = CUBLAS_STATUS_SUCCESS;
    try (FloatPointer factor = new FloatPointer((float) alpha)) {
      for (long i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++) {
        FloatPointer a = floats(from, i * step);
        FloatPointer b = floats(to, i * step);
        status =
            cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, factor, a, n, factor, a, n, b, n);
      }
    }
    return status;
  }

  private static int sumsInDouble(
      cublasContext handle, int n, double alpha, Pointer from, Pointer to, long step, long count) {
    int status = CUBLAS_STATUS_SUCCESS;
    try (DoublePointer factor = new DoublePointer(alpha)) {
      for (long i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++) {
        DoublePointer a = doubles(from, i * step);
        DoublePointer b = doubles(to, i * step);
        status =
            cublasDgeam(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, factor, a, n, factor, a, n, b, n);
      }
    }
    return status;
  }

  /** A call of cuBLAS that returns its status. */
  private interface Call {
    int on(cublasContext handle, CudaContext context);
  }

  /** Calls cuBLAS when the operands are on the device, on the stream that brought them there. */
  private static void call(Call call, INDArray result, INDArray... operands) {
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    Nd4j.getExecutioner().push();
    CudaContext context = allocator.getFlowController().prepareAction(result, operands);
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

  // cuBLAS goes by columns: the transposed product of the transposed matrices.

  private static int inFloat(
      cublasContext handle,
      CudaContext context,
      double alpha,
      MatrixStack a,
      MatrixStack b,
      double beta,
      MatrixStack c,
      int count) {
    try (FloatPointer factor = new FloatPointer((float) alpha);
        FloatPointer kept = new FloatPointer((float) beta)) {
      return cublasSgemmStridedBatched(
          handle,
          operation(b),
          operation(a),
          c.columns(),
          c.rows(),
          a.columns(),
          factor,
          floats(memory(b.array(), context), b.offset()),
          b.pitch(),
          b.step(),
          floats(memory(a.array(), context), a.offset()),
          a.pitch(),
          a.step(),
          kept,
          floats(memory(c.array(), context), c.offset()),
          c.pitch(),
          c.step(),
          count);
    }
  }

  private static int inDouble(
      cublasContext handle,
      CudaContext context,
      double alpha,
      MatrixStack a,
      MatrixStack b,
      double beta,
      MatrixStack c,
      int count) {
    try (DoublePointer factor = new DoublePointer(alpha);
        DoublePointer kept = new DoublePointer(beta)) {
      return cublasDgemmStridedBatched(
          handle,
          operation(b),
          operation(a),
          c.columns(),
          c.rows(),
          a.columns(),
          factor,
          doubles(memory(b.array(), context), b.offset()),
          b.pitch(),
          b.step(),
          doubles(memory(a.array(), context), a.offset()),
          a.pitch(),
          a.step(),
          kept,
          doubles(memory(c.array(), context), c.offset()),
          c.pitch(),
          c.step(),
          count);
    }
  }

  private static int operation(MatrixStack stack) {
    return stack.isTransposed() ? CUBLAS_OP_T : CUBLAS_OP_N;
  }

  private static Pointer memory(INDArray array, CudaContext context) {
    return AtomicAllocator.getInstance().getPointer(array, context);
  }

  private static FloatPointer floats(Pointer start, long offset) {
    return new FloatPointer(start).position(offset);
  }

  private static DoublePointer doubles(Pointer start, long offset) {
    return new DoublePointer(start).position(offset);
  }
}
