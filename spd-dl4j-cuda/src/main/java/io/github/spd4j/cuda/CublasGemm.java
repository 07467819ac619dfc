/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cuda;

import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_N;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_T;
import static org.bytedeco.cuda.global.cublas.CUBLAS_STATUS_SUCCESS;
import static org.bytedeco.cuda.global.cublas.cublasDgemmStridedBatched;
import static org.bytedeco.cuda.global.cublas.cublasSetStream_v2;
import static org.bytedeco.cuda.global.cublas.cublasSgemmStridedBatched;

import io.github.spd4j.linalg.MatrixStack;
import io.github.spd4j.linalg.StridedGemm;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.jita.allocator.impl.AtomicAllocator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.jcublas.context.CudaContext;

/**
 * Products of stacks by cuBLAS's {@code gemmStridedBatched}, one call for all of them, on the
 * stream of ND4J's own operations: nothing waits for anything.
 */
public final class CublasGemm implements StridedGemm {

  /** cuBLAS handles belong to a device, and their stream is set before each call. */
  private static final Object LOCK = new Object();

  /** For the service loader. */
  public CublasGemm() {}

  @Override
  public boolean isForBackend() {
    return Nd4j.getExecutioner().type() == ExecutionerType.CUDA;
  }

  @Override
  public void multiply(MatrixStack a, MatrixStack b, MatrixStack c, int count, double beta) {
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    Nd4j.getExecutioner().push();
    CudaContext context =
        allocator.getFlowController().prepareAction(c.array(), a.array(), b.array());
    int status;
    synchronized (LOCK) {
      cublasContext handle = new cublasContext(context.getCublasHandle());
      cublasSetStream_v2(handle, new CUstream_st(context.getCublasStream()));
      status =
          c.array().dataType() == DataType.DOUBLE
              ? inDouble(handle, context, a, b, c, count, beta)
              : inFloat(handle, context, a, b, c, count, beta);
    }
    if (status != CUBLAS_STATUS_SUCCESS) {
      throw new IllegalStateException("cuBLAS refused a product, with status " + status);
    }
    allocator.getFlowController().registerAction(context, c.array(), a.array(), b.array());
  }

  // cuBLAS goes by columns: the transposed product of the transposed matrices.

  private static int inFloat(
      cublasContext handle,
      CudaContext context,
      MatrixStack a,
      MatrixStack b,
      MatrixStack c,
      int count,
      double beta) {
    try (FloatPointer one = new FloatPointer(1f);
        FloatPointer kept = new FloatPointer((float) beta)) {
      return cublasSgemmStridedBatched(
          handle,
          operation(b),
          operation(a),
          c.columns(),
          c.rows(),
          a.columns(),
          one,
          new FloatPointer(memory(b, context)).position(b.offset()),
          b.pitch(),
          b.step(),
          new FloatPointer(memory(a, context)).position(a.offset()),
          a.pitch(),
          a.step(),
          kept,
          new FloatPointer(memory(c, context)).position(c.offset()),
          c.pitch(),
          c.step(),
          count);
    }
  }

  private static int inDouble(
      cublasContext handle,
      CudaContext context,
      MatrixStack a,
      MatrixStack b,
      MatrixStack c,
      int count,
      double beta) {
    try (DoublePointer one = new DoublePointer(1.0);
        DoublePointer kept = new DoublePointer(beta)) {
      return cublasDgemmStridedBatched(
          handle,
          operation(b),
          operation(a),
          c.columns(),
          c.rows(),
          a.columns(),
          one,
          new DoublePointer(memory(b, context)).position(b.offset()),
          b.pitch(),
          b.step(),
          new DoublePointer(memory(a, context)).position(a.offset()),
          a.pitch(),
          a.step(),
          kept,
          new DoublePointer(memory(c, context)).position(c.offset()),
          c.pitch(),
          c.step(),
          count);
    }
  }

  private static int operation(MatrixStack stack) {
    return stack.isTransposed() ? CUBLAS_OP_T : CUBLAS_OP_N;
  }

  private static Pointer memory(MatrixStack stack, CudaContext context) {
    return AtomicAllocator.getInstance().getPointer(stack.array(), context);
  }
}
