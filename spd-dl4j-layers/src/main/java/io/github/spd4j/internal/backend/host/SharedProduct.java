/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import io.github.spd4j.internal.backend.host.HostMatrix.Factor;

/**
 * A product of two matrices that all threads compute together. It has three sides: rows, columns,
 * and the common side of the factors. BLAS divides rows and columns among its threads; where one
 * side is much longer than the others, as in a classifier of long vectors, that leaves most threads
 * without work. Here each thread has a part of the long side.
 */
public final class SharedProduct {

  /** How many times as long as the others a side has to be. */
  private static final int LONG = 16;

  /** Below this many multiplications, sharing them takes longer than it saves. */
  private static final int WORTH_SHARING = 1 << 20;

  private SharedProduct() {}

  /**
   * Whether the common side is long.
   *
   * @param a A, the first factor
   * @param c C, the product
   * @return true if so, and C has no gaps between its rows
   */
  public static boolean isLong(Factor a, HostMatrix c) {
    return isLong(a.columns(), c.rows(), c.columns()) && c.isDense();
  }

  /**
   * Whether C has many columns.
   *
   * @param a A, the first factor
   * @param c C, the product
   * @return true if so
   */
  public static boolean isWide(Factor a, HostMatrix c) {
    return isLong(c.columns(), c.rows(), a.columns());
  }

  private static boolean isLong(int side, int one, int other) {
    return side > (long) LONG * Math.max(one, other) && (long) side * one * other > WORTH_SHARING;
  }

  /**
   * Replaces C by {@code alpha · A B + beta · C}. Each thread adds up some of the products of each
   * entry.
   *
   * @param alpha factor of the product
   * @param a A, not changed
   * @param b B, not changed
   * @param beta factor of what was there; with 0 it is not read
   * @param c C, without gaps between its rows
   * @param parts how many parts the long side has
   * @param sums room for as many such matrices
   */
  public static void alongTheCommonSide(
      float alpha, Factor a, Factor b, float beta, HostMatrix c, int parts, HostFloats sums) {
    int length = a.columns();
    Workers.shareProducts(
        parts,
        (worker, from, to) -> {
          for (int part = from; part < to; part++) {
            int start = Workers.start(length, part, parts);
            int end = Workers.start(length, part + 1, parts);
            HostMatrix sum = part == 0 ? c : HostMatrix.of(sums, part, c.rows(), c.columns());
            sum.setProduct(alpha, a.columns(start, end), b.rows(start, end), part == 0 ? beta : 0);
          }
        });
    for (int part = 1; part < parts; part++) {
      c.add(1, HostMatrix.of(sums, part, c.rows(), c.columns()));
    }
  }

  /**
   * Replaces C by {@code alpha · A B + beta · C}. Each thread computes some of the columns.
   *
   * @param alpha factor of the product
   * @param a A, not changed
   * @param b B, not changed
   * @param beta factor of what was there; with 0 it is not read
   * @param c C
   */
  public static void byColumns(float alpha, Factor a, Factor b, float beta, HostMatrix c) {
    int parts = Workers.count();
    Workers.shareProducts(
        parts,
        (worker, from, to) -> {
          int left = Workers.start(c.columns(), from, parts);
          int right = Workers.start(c.columns(), to, parts);
          c.block(0, c.rows(), left, right).setProduct(alpha, a, b.columns(left, right), beta);
        });
  }
}
