/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * What cuBLAS has no function for, each for a whole stack of matrices at once. Algebra says what they
 * compute; make-kernels translates them to kernels.ptx, which the driver compiles for the card.
 *
 * All arguments are 8 bytes wide. Sums are added up within one block, whose threads are a power of two,
 * in an order that depends on nothing else: results repeat to the last bit. NaN stays NaN.
 */

typedef long long Long;

/** Where row i of an upper triangle begins, less i: the entry (i, j) is at rowStart(i, n) + j. */
static __device__ Long rowStart(Long i, Long n) {
  return i * n - i * (i + 1) / 2;
}

/** The sum over the threads of a block. */
template <typename T>
static __device__ T sumOfBlock(T mine) {
  __shared__ T sums[1024];
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
  }
  return sums[0];
}

/** A block a row: matrices [N, n, n] to vectors [N, n(n+1)/2]. */
template <typename T>
static __device__ void packTriangles(const T* matrices, T* vectors, Long n) {
  Long image = blockIdx.x / n;
  Long i = blockIdx.x % n;
  const T* row = matrices + (Long) blockIdx.x * n;
  T* vector = vectors + image * (n * (n + 1) / 2) + rowStart(i, n);
  for (Long j = i + threadIdx.x; j < n; j += blockDim.x) {
    vector[j] = row[j];
  }
}

/** A block a row: vectors [N, n(n+1)/2] to symmetric matrices [N, n, n]. */
template <typename T>
static __device__ void unpackSymmetric(const T* vectors, T* matrices, Long n) {
  Long image = blockIdx.x / n;
  Long i = blockIdx.x % n;
  const T* vector = vectors + image * (n * (n + 1) / 2);
  T* row = matrices + (Long) blockIdx.x * n;
  for (Long j = threadIdx.x; j < n; j += blockDim.x) {
    row[j] = i <= j ? vector[rowStart(i, n) + j] : vector[rowStart(j, n) + i];
  }
}

static const int TILE = 32;

/** A block a tile of 32×32, with 32×8 threads: B = α (A + Aᵀ). */
template <typename T>
static __device__ void addTransposed(const T* matrices, T* sums, Long n, double alpha) {
  __shared__ T other[TILE][TILE + 1];
  Long start = (Long) blockIdx.z * n * n;
  Long top = (Long) blockIdx.y * TILE;
  Long left = (Long) blockIdx.x * TILE;
  for (int k = threadIdx.y; k < TILE; k += blockDim.y) {
    Long i = left + k;
    Long j = top + threadIdx.x;
    if (i < n && j < n) {
      other[k][threadIdx.x] = matrices[start + i * n + j];
    }
  }
  __syncthreads();
  for (int k = threadIdx.y; k < TILE; k += blockDim.y) {
    Long i = top + k;
    Long j = left + threadIdx.x;
    if (i < n && j < n) {
      Long place = start + i * n + j;
      sums[place] = (T) alpha * (matrices[place] + other[threadIdx.x][k]);
    }
  }
}

/** A block a matrix: its diagonal. */
template <typename T>
static __device__ void diagonals(const T* matrices, T* diagonals, Long n) {
  for (Long i = threadIdx.x; i < n; i += blockDim.x) {
    diagonals[blockIdx.x * n + i] = matrices[(blockIdx.x * n + i) * n + i];
  }
}

/** A block a row: Gram matrices to squared distances, and the sum of the distances of the row. */
template <typename T>
static __device__ void squaredDistances(T* gram, const T* norms, T* sums, Long n, double kept) {
  T* row = gram + (Long) blockIdx.x * n;
  const T* all = norms + blockIdx.x / n * n;
  T own = norms[blockIdx.x];
  T sum = 0;
  for (Long j = threadIdx.x; j < n; j += blockDim.x) {
    T distance = (T) kept * (own + all[j]) - 2 * row[j];
    distance = distance < 0 ? 0 : distance;
    row[j] = distance;
    sum += sqrt(distance);
  }
  T total = sumOfBlock(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
  }
}

/** A block a row of n numbers of an image of `rows` rows: x becomes exp(factor x). */
template <typename T>
static __device__ void exponentials(T* values, const T* factors, Long rows, Long n) {
  T* row = values + (Long) blockIdx.x * n;
  T factor = factors[blockIdx.x / rows];
  for (Long j = threadIdx.x; j < n; j += blockDim.x) {
    row[j] = exp(factor * row[j]);
  }
}

/** Blocks (part of a vector, vector): v = w v, r = √(|v| + φ²), u = v / (r + φ). */
template <typename T>
static __device__ void signedRoots(T* vectors, const T* weights, T* roots, Long length, double floor) {
  Long k = (Long) blockIdx.x * blockDim.x + threadIdx.x;
  if (k < length) {
    Long place = blockIdx.y * length + k;
    T value = weights[k] * vectors[place];
    T root = sqrt(fabs(value) + (T) (floor * floor));
    roots[place] = root;
    vectors[place] = value / (root + (T) floor);
  }
}

/** A block a row: a multiple of its inner product with the same row of another matrix. */
template <typename T>
static __device__ void rowProducts(const T* a, const T* b, T* sums, Long length, double alpha) {
  Long start = blockIdx.x * length;
  T sum = 0;
  for (Long k = threadIdx.x; k < length; k += blockDim.x) {
    sum += a[start + k] * b[start + k];
  }
  T total = sumOfBlock(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = (T) alpha * total;
  }
}

/** One block: x becomes factor / √x, and 0 where x is not above the bound. */
template <typename T>
static __device__ void inverseRoots(T* values, Long count, double factor, double bound) {
  for (Long i = threadIdx.x; i < count; i += blockDim.x) {
    double x = values[i];
    values[i] = (T) (x <= bound ? 0 : factor / sqrt(x));
  }
}

/** One block: x becomes factor / x², and 0 where x is not above the bound. */
template <typename T>
static __device__ void inverseSquares(T* values, Long count, double factor, double bound) {
  for (Long i = threadIdx.x; i < count; i += blockDim.x) {
    double x = values[i];
    values[i] = (T) (x <= bound ? 0 : factor / (x * x));
  }
}

/** Some blocks: each adds up the squares of its share of the numbers that are `step` apart. */
template <typename T>
static __device__ void squares(const T* values, double* sums, Long count, Long step) {
  double sum = 0;
  Long stride = (Long) gridDim.x * blockDim.x;
  for (Long k = (Long) blockIdx.x * blockDim.x + threadIdx.x; k < count; k += stride) {
    double value = values[k * step];
    sum += value * value;
  }
  double total = sumOfBlock(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
  }
}

/** The larger of a number and one that may be none. */
static __device__ double largerOf(double number, double other) {
  return other > number && isfinite(other) ? other : number;
}

/** The largest over the threads of a block. */
static __device__ double largestOfBlock(double mine) {
  __shared__ double numbers[1024];
  __syncthreads();
  numbers[threadIdx.x] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      numbers[threadIdx.x] = largerOf(numbers[threadIdx.x], numbers[threadIdx.x + half]);
    }
    __syncthreads();
  }
  return numbers[0];
}

/** A block a matrix: its largest |A_ij - A_ji| by its largest |A_ij|, of rows that are `step` apart. */
template <typename T>
static __device__ void asymmetries(const T* matrices, double* shares, Long n, Long step) {
  const T* matrix = matrices + (Long) blockIdx.x * n * n;
  Long rows = (n + step - 1) / step;
  double largest = 0;
  double difference = 0;
  for (Long k = threadIdx.x; k < rows * rows; k += blockDim.x) {
    Long i = k / rows * step;
    Long j = k % rows * step;
    double above = matrix[i * n + j];
    double below = matrix[j * n + i];
    largest = largerOf(largest, fabs(above));
    difference = largerOf(difference, fabs(above - below));
  }
  double byMost = largestOfBlock(largest);
  double most = largestOfBlock(difference);
  if (threadIdx.x == 0) {
    shares[blockIdx.x] = most == 0 ? 0 : most / byMost;
  }
}

/** The upper triangle of a symmetric matrix of n rows, without gaps. */
struct Symmetric {
  double* triangle;
  int n;

  __device__ double& at(int i, int j) const {
    int row = min(i, j);
    return triangle[row * n - row * (row + 1) / 2 + max(i, j)];
  }
};

/** The rows p and q that meet in pair i of a round; in `rows` - 1 rounds each meets every other once. */
struct Pair {
  int p;
  int q;

  __device__ Pair(int i, int round, int rows) {
    int circle = rows - 1;
    p = round + i < circle ? round + i : round + i - circle;
    q = i == 0 ? circle : round < i ? round - i + circle : round - i;
  }
};

static const int MOST_PAIRS = 48;
static const int MOST_SWEEPS = 40;

/**
 * A block a matrix, which is overwritten: its eigenvalues in ascending order, and eigenvectors as columns, by
 * Jacobi's rotations. In a round every row takes part in one rotation, so all of them are made at once. Rotations
 * stop where no entry off the diagonal is more than rounding; otherwise the eigenvalues are NaN.
 *
 * Shared memory holds the triangle, of one more row if n is odd. A matrix has at most two rows for each pair.
 */
extern "C" __global__ void __launch_bounds__(1024) eigen_double(double* matrices, double* values, double* vectors, Long n) {
  extern __shared__ double triangle[];
  __shared__ double cosines[MOST_PAIRS];
  __shared__ double sines[MOST_PAIRS];
  int size = (int) n;
  int rows = size + size % 2;
  int pairs = rows / 2;
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int warps = blockDim.x / 32;
  double* matrix = matrices + blockIdx.x * n * n;
  double* v = vectors + blockIdx.x * n * n; // an eigenvector a row, until the end
  Symmetric a = {triangle, rows};
  double square = 0;
  for (int i = warp; i < rows; i += warps) {
    for (int j = lane; j < rows; j += 32) {
      bool inside = i < size && j < size;
      double entry = inside ? matrix[i * size + j] : 0;
      square += entry * entry;
      if (inside) {
        v[i * size + j] = i == j ? 1 : 0;
      }
      if (i <= j) {
        a.at(i, j) = entry;
      }
    }
  }
  double negligible = 2.220446049250313e-16 * sqrt(sumOfBlock(square)) / size;
  if (!isfinite(negligible)) {
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
      values[blockIdx.x * n + i] = nan("");
    }
    return;
  }
  bool done = false;
  for (int sweep = 0; sweep < MOST_SWEEPS && !done; sweep++) {
    done = true;
    for (int round = 0; round < rows - 1; round++) {
      int turned = 0;
      for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        Pair pair(i, round, rows);
        double entry = a.at(pair.p, pair.q);
        double cosine = 1;
        double sine = 0;
        if (fabs(entry) > negligible) {
          double& first = a.at(pair.p, pair.p);
          double& second = a.at(pair.q, pair.q);
          double ratio = (second - first) / (2 * entry);
          double tangent = copysign(1 / (fabs(ratio) + sqrt(1 + ratio * ratio)), ratio);
          cosine = 1 / sqrt(1 + tangent * tangent);
          sine = tangent * cosine;
          first -= tangent * entry;
          second += tangent * entry;
          a.at(pair.p, pair.q) = 0;
          turned = 1;
        }
        cosines[i] = cosine;
        sines[i] = sine;
      }
      if (!__syncthreads_or(turned)) {
        continue;
      }
      done = false;
      // where two pairs cross: row x of the triangle of crossings and row pairs - 1 - x make one row of the loop
      for (int k = threadIdx.x; k < pairs * (pairs - 1) / 2; k += blockDim.x) {
        int x = k / (pairs - 1);
        int y = k % (pairs - 1);
        bool above = y < pairs - 1 - x;
        int i = above ? x : pairs - 1 - x;
        int j = above ? x + 1 + y : y + 1;
        double c = cosines[i];
        double s = sines[i];
        double d = cosines[j];
        double t = sines[j];
        if (s != 0 || t != 0) {
          Pair left(i, round, rows);
          Pair right(j, round, rows);
          double& pp = a.at(left.p, right.p);
          double& pq = a.at(left.p, right.q);
          double& qp = a.at(left.q, right.p);
          double& qq = a.at(left.q, right.q);
          double up = c * pp - s * qp;
          double uq = c * pq - s * qq;
          double lp = s * pp + c * qp;
          double lq = s * pq + c * qq;
          pp = d * up - t * uq;
          pq = t * up + d * uq;
          qp = d * lp - t * lq;
          qq = t * lp + d * lq;
        }
      }
      for (int i = warp; i < pairs; i += warps) {
        double c = cosines[i];
        double s = sines[i];
        if (s != 0) {
          Pair pair(i, round, rows);
          double* first = v + pair.p * size;
          double* second = v + pair.q * size;
          for (int k = lane; k < size; k += 32) {
            double x = first[k];
            double y = second[k];
            first[k] = c * x - s * y;
            second[k] = s * x + c * y;
          }
        }
      }
      __syncthreads();
    }
  }
  __shared__ int ranks[2 * MOST_PAIRS];
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    double value = a.at(i, i);
    int rank = 0;
    for (int j = 0; j < size; j++) {
      double other = a.at(j, j);
      rank += other < value || (other == value && j < i);
    }
    ranks[i] = rank;
    values[blockIdx.x * n + rank] = done ? value : nan("");
  }
  __syncthreads();
  for (int k = threadIdx.x; k < size * size; k += blockDim.x) {
    matrix[k % size * size + ranks[k / size]] = v[k];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < size * size; k += blockDim.x) {
    v[k] = matrix[k];
  }
}

/** Rows of a block of a large matrix; two blocks meet in a pair. */
static const int BLOCK = 32;
static const int PAIR = 2 * BLOCK;

/** Square matrices in shared memory, whose columns lie in different banks. */
typedef double Tile[PAIR][PAIR + 1];

/** Where a row of a pair of blocks is in the matrix. */
static __device__ int rowOf(const Pair& blocks, int row) {
  return row < BLOCK ? blocks.p * BLOCK + row : blocks.q * BLOCK + row - BLOCK;
}

/**
 * A block a matrix of n rows: a copy of its upper triangle, mirrored and filled up with zeros to m rows; a unit matrix;
 * and what is no more than rounding off the diagonal.
 */
extern "C" __global__ void eigenStart_double(const double* matrices, double* work, double* basis, double* bounds, Long n, Long m) {
  const double* matrix = matrices + blockIdx.x * n * n;
  double square = 0;
  for (Long k = threadIdx.x; k < m * m; k += blockDim.x) {
    Long i = k / m;
    Long j = k % m;
    double entry = i < n && j < n ? matrix[min(i, j) * n + max(i, j)] : 0;
    square += entry * entry;
    work[blockIdx.x * m * m + k] = entry;
    basis[blockIdx.x * m * m + k] = i == j ? 1 : 0;
  }
  double sum = sumOfBlock(square);
  if (threadIdx.x == 0) {
    bounds[blockIdx.x] = 2.220446049250313e-16 * sqrt(sum) / n;
  }
}

/**
 * Blocks (pair of blocks, matrix): one sweep of Jacobi's rotations of the rows of both. In a round every block is in one
 * pair. The product of the rotations comes out, and whether there was any, in this round and since the first one.
 */
extern "C" __global__ void __launch_bounds__(512) eigenPairs_double(double* work, double* turns, double* turned, double* since, const double* bounds, Long m, Long round) {
  extern __shared__ double triangle[];
  __shared__ double tangents[BLOCK];
  __shared__ double cosines[BLOCK];
  __shared__ double sines[BLOCK];
  Tile& s = *(Tile*) triangle;
  Tile& q = *(Tile*) (triangle + sizeof(Tile) / sizeof(double));
  Pair blocks(blockIdx.x, (int) round, (int) (m / BLOCK));
  double* matrix = work + blockIdx.y * m * m;
  Long place = (Long) blockIdx.y * gridDim.x + blockIdx.x;
  double negligible = bounds[blockIdx.y];
  for (int k = threadIdx.x; k < PAIR * PAIR; k += blockDim.x) {
    int i = k / PAIR;
    int j = k % PAIR;
    s[i][j] = matrix[rowOf(blocks, i) * m + rowOf(blocks, j)];
    q[i][j] = i == j ? 1 : 0;
  }
  __syncthreads();
  bool any = false;
  for (int turn = 0; turn < PAIR - 1; turn++) {
    int now = 0;
    if (threadIdx.x < BLOCK) {
      Pair pair(threadIdx.x, turn, PAIR);
      double entry = s[pair.p][pair.q];
      double tangent = 0;
      if (fabs(entry) > negligible) {
        double ratio = (s[pair.q][pair.q] - s[pair.p][pair.p]) / (2 * entry);
        tangent = copysign(1 / (fabs(ratio) + sqrt(1 + ratio * ratio)), ratio);
        now = 1;
      }
      tangents[threadIdx.x] = tangent;
      cosines[threadIdx.x] = 1 / sqrt(1 + tangent * tangent);
      sines[threadIdx.x] = tangent * cosines[threadIdx.x];
    }
    if (!__syncthreads_or(now)) {
      continue;
    }
    any = true;
    for (int k = threadIdx.x; k < BLOCK * BLOCK; k += blockDim.x) {
      int i = k / BLOCK;
      int j = k % BLOCK;
      Pair left(i, turn, PAIR);
      Pair right(j, turn, PAIR);
      double& pp = s[left.p][right.p];
      double& pq = s[left.p][right.q];
      double& qp = s[left.q][right.p];
      double& qq = s[left.q][right.q];
      double tangent = tangents[i];
      if (i == j && tangent != 0) {
        double entry = pq;
        pp -= tangent * entry;
        qq += tangent * entry;
        pq = 0;
        qp = 0;
      } else if (i != j) {
        double c = cosines[i];
        double t = sines[i];
        double up = c * pp - t * qp;
        double uq = c * pq - t * qq;
        double lp = t * pp + c * qp;
        double lq = t * pq + c * qq;
        c = cosines[j];
        t = sines[j];
        pp = c * up - t * uq;
        pq = t * up + c * uq;
        qp = c * lp - t * lq;
        qq = t * lp + c * lq;
      }
    }
    for (int k = threadIdx.x; k < BLOCK * PAIR; k += blockDim.x) {
      int i = k / PAIR;
      int row = k % PAIR;
      Pair pair(i, turn, PAIR);
      double x = q[row][pair.p];
      double y = q[row][pair.q];
      q[row][pair.p] = cosines[i] * x - sines[i] * y;
      q[row][pair.q] = sines[i] * x + cosines[i] * y;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    turned[place] = any ? 1 : 0;
    since[place] = any ? 1 : round == 0 ? 0 : since[place];
  }
  if (any) {
    for (int k = threadIdx.x; k < PAIR * PAIR; k += blockDim.x) {
      int i = k / PAIR;
      int j = k % PAIR;
      matrix[rowOf(blocks, i) * m + rowOf(blocks, j)] = i <= j ? s[i][j] : s[j][i];
    }
  }
  for (int k = threadIdx.x; k < PAIR * PAIR; k += blockDim.x) {
    turns[place * PAIR * PAIR + k] = q[k / PAIR][k % PAIR];
  }
}

/** A thread's 4×4 entries of AB, or of AᵀB; 256 threads. */
static __device__ void multiply(const Tile& a, bool transposed, const Tile& b, double sums[4][4]) {
  int row = threadIdx.x / 16;
  int column = threadIdx.x % 16;
  for (int u = 0; u < 4; u++) {
    for (int v = 0; v < 4; v++) {
      sums[u][v] = 0;
    }
  }
  for (int k = 0; k < PAIR; k++) {
    double left[4];
    double right[4];
    for (int u = 0; u < 4; u++) {
      left[u] = transposed ? a[k][row + 16 * u] : a[row + 16 * u][k];
      right[u] = b[k][column + 16 * u];
    }
    for (int u = 0; u < 4; u++) {
      for (int v = 0; v < 4; v++) {
        sums[u][v] += left[u] * right[v];
      }
    }
  }
}

/** Puts a thread's entries into their places. */
static __device__ void put(const double sums[4][4], Tile& result) {
  for (int u = 0; u < 4; u++) {
    for (int v = 0; v < 4; v++) {
      result[threadIdx.x / 16 + 16 * u][threadIdx.x % 16 + 16 * v] = sums[u][v];
    }
  }
}

/**
 * Blocks (piece of work, matrix), with 256 threads: where two pairs cross, Q_iᵀ A Q_j, and its mirror image; and B Q for
 * the rows of the basis B.
 */
extern "C" __global__ void __launch_bounds__(256) eigenTurn_double(double* work, double* basis, const double* turns, const double* turned, Long m, Long round) {
  extern __shared__ double triangle[];
  Tile& a = *(Tile*) triangle;
  Tile& q = *(Tile*) (triangle + sizeof(Tile) / sizeof(double));
  int blocks = (int) (m / BLOCK);
  int pairs = blocks / 2;
  int crossings = pairs * (pairs - 1) / 2;
  bool crosses = blockIdx.x < crossings;
  int i = 0;
  int j = blockIdx.x;
  if (crosses) {
    while (j >= pairs - 1 - i) {
      j -= pairs - 1 - i;
      i++;
    }
    j += i + 1;
  } else {
    i = (j - crossings) / pairs;
    j = (j - crossings) % pairs;
  }
  Long first = (Long) blockIdx.y * pairs;
  if (turned[first + j] == 0 && !(crosses && turned[first + i] != 0)) {
    return;
  }
  Pair above(i, (int) round, blocks);
  Pair beside(j, (int) round, blocks);
  double* matrix = (crosses ? work : basis) + blockIdx.y * m * m;
  for (int k = threadIdx.x; k < PAIR * PAIR; k += blockDim.x) {
    int x = k / PAIR;
    int y = k % PAIR;
    int row = crosses ? rowOf(above, x) : i * PAIR + x;
    a[x][y] = matrix[row * m + rowOf(beside, y)];
    q[x][y] = turns[(first + j) * PAIR * PAIR + k];
  }
  __syncthreads();
  double sums[4][4];
  multiply(a, false, q, sums);
  __syncthreads();
  put(sums, a);
  if (crosses) {
    for (int k = threadIdx.x; k < PAIR * PAIR; k += blockDim.x) {
      q[k / PAIR][k % PAIR] = turns[(first + i) * PAIR * PAIR + k];
    }
  }
  __syncthreads();
  if (crosses) {
    multiply(q, true, a, sums);
    __syncthreads();
    put(sums, a);
    __syncthreads();
  }
  for (int k = threadIdx.x; k < PAIR * PAIR; k += blockDim.x) {
    int x = k / PAIR;
    int y = k % PAIR;
    int row = crosses ? rowOf(above, x) : i * PAIR + x;
    matrix[row * m + rowOf(beside, y)] = a[x][y];
    if (crosses) {
      matrix[rowOf(beside, x) * m + rowOf(above, y)] = a[y][x];
    }
  }
}

static const int MOST_BLOCKED_ROWS = 512;

/** A block a matrix: eigenvalues in ascending order, NaN unless the rotations are done, and eigenvectors as columns. */
extern "C" __global__ void eigenOrder_double(double* values, double* vectors, const double* work, const double* basis, const double* bounds, Long n, Long m, Long done) {
  __shared__ int ranks[MOST_BLOCKED_ROWS];
  __shared__ double diagonal[MOST_BLOCKED_ROWS];
  const double* matrix = work + blockIdx.x * m * m;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    diagonal[i] = matrix[i * m + i];
  }
  __syncthreads();
  bool known = done && isfinite(bounds[blockIdx.x]);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    double value = diagonal[i];
    int rank = 0;
    for (int j = 0; j < n; j++) {
      rank += diagonal[j] < value || (diagonal[j] == value && j < i);
    }
    ranks[i] = rank;
    values[blockIdx.x * n + rank] = known ? value : nan("");
  }
  __syncthreads();
  for (Long k = threadIdx.x; k < n * n; k += blockDim.x) {
    Long i = k / n;
    Long j = k % n;
    vectors[blockIdx.x * n * n + i * n + ranks[j]] = basis[blockIdx.x * m * m + i * m + j];
  }
}

/** k + α Σ x² over the channels near a channel; `x` is its number at a place. */
template <typename T>
static __device__ T responseSum(const T* x, Long c, Long channels, Long places, Long reach, double alpha, double k) {
  T sum = 0;
  for (Long j = max(-c, -reach); j <= min(channels - 1 - c, reach); j++) {
    T other = x[j * places];
    sum += other * other;
  }
  return (T) k + (T) alpha * sum;
}

/** A thread a number of maps [N, C, places]: x s^-β. */
template <typename T>
static __device__ void normalize(const T* maps, T* output, Long count, Long channels, Long places, Long reach,
                                 double alpha, double beta, double k) {
  Long i = (Long) blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    Long c = i / places % channels;
    T sum = responseSum(maps + i, c, channels, places, reach, alpha, k);
    output[i] = maps[i] * pow(sum, (T) -beta);
  }
}

/** A thread a number: g s^-β - 2αβ x Σ g x s^(-β-1) over the channels near its own. */
template <typename T>
static __device__ void normalizeGradient(const T* maps, const T* delta, T* gradient, Long count, Long channels,
                                         Long places, Long reach, double alpha, double beta, double k) {
  Long i = (Long) blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    Long c = i / places % channels;
    T own = 0;
    T shares = 0;
    for (Long j = max(-c, -reach); j <= min(channels - 1 - c, reach); j++) {
      Long other = i + j * places;
      T sum = responseSum(maps + other, c + j, channels, places, reach, alpha, k);
      T scale = pow(sum, (T) -beta);
      shares += delta[other] * maps[other] * scale / sum;
      own = j == 0 ? scale : own;
    }
    gradient[i] = delta[i] * own - (T) (2 * alpha * beta) * maps[i] * shares;
  }
}

/** Blocks (channel, share) of images [N, C, places]: the sum of its numbers in every so many-th image, [shares, C]. */
template <typename T>
static __device__ void channelSums(const T* images, T* sums, Long count, Long channels, Long places) {
  T mine = 0;
  for (Long image = blockIdx.y; image < count; image += gridDim.y) {
    const T* map = images + (image * channels + blockIdx.x) * places;
    T part = 0;
#pragma unroll 4
    for (Long k = threadIdx.x; k < places; k += blockDim.x) {
      part += map[k];
    }
    mine += part;
  }
  T total = sumOfBlock(mine);
  if (threadIdx.x == 0) {
    sums[blockIdx.y * channels + blockIdx.x] = total;
  }
}

/** Blocks of 1024 numbers, of which a thread takes four. */
template <typename F>
static __device__ __forceinline__ void forEach(Long count, F work) {
  Long first = (Long) blockIdx.x * 4 * blockDim.x + threadIdx.x;
#pragma unroll
  for (int part = 0; part < 4; part++) {
    Long k = first + part * blockDim.x;
    if (k < count) {
      work(k);
    }
  }
}

/** c + αa replaces c. */
template <typename T>
static __device__ void add(const T* a, T* c, Long count, double alpha) {
  forEach(count, [=](Long k) { c[k] += (T) alpha * a[k]; });
}

/** Numbers from a place on, to every so many places from another on. */
template <typename T>
static __device__ void copy(const T* source, T* target, Long from, Long to, Long step, Long count) {
  forEach(count, [=](Long k) { target[to + k * step] = source[from + k]; });
}

/** Row i of a matrix times f[i]. */
template <typename T>
static __device__ void scaleRows(const T* matrix, const T* factors, T* products, Long count, Long columns) {
  forEach(count, [=](Long k) { products[k] = matrix[k] * factors[k / columns]; });
}

/** Column j of a matrix times f[j]. */
template <typename T>
static __device__ void scaleColumns(const T* matrix, const T* factors, T* products, Long count, Long columns) {
  forEach(count, [=](Long k) { products[k] = matrix[k] * factors[k % columns]; });
}

/** What is below zero becomes zero. */
template <typename T>
static __device__ void rectify(T* values, Long count) {
  forEach(count, [=](Long k) {
    if (values[k] < 0) {
      values[k] = 0;
    }
  });
}

/** g, where v is above zero, and zero elsewhere. */
template <typename T>
static __device__ void rectifierGradient(const T* values, const T* delta, T* gradient, Long count) {
  forEach(count, [=](Long k) { gradient[k] = values[k] > 0 ? delta[k] : (T) 0; });
}

/** A thread a window, which lie side by side: where the first of the largest is, g, and zero elsewhere. */
template <typename T>
static __device__ void largestGradient(const T* images, const T* delta, T* gradient, Long count, Long height, Long width,
                                       Long rows, Long columns, Long kernelHeight, Long kernelWidth) {
  Long k = (Long) blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) {
    return;
  }
  Long start = (k / (rows * columns) * height + k / columns % rows * kernelHeight) * width + k % columns * kernelWidth;
  Long where = start;
  for (int i = 0; i < kernelHeight; i++) {
    for (int j = 0; j < kernelWidth; j++) {
      Long place = start + i * width + j;
      where = images[place] > images[where] ? place : where;
    }
  }
  for (int i = 0; i < kernelHeight; i++) {
    for (int j = 0; j < kernelWidth; j++) {
      Long place = start + i * width + j;
      gradient[place] = place == where ? delta[k] : 0;
    }
  }
}

/** A block a part of a map of [N, channels, places]: adds the bias of its channel, and rectifies if asked to. */
template <typename T>
static __device__ void addBias(T* maps, const T* bias, Long channels, Long places, Long rectified) {
  T* map = maps + (Long) blockIdx.x * places;
  T own = bias[blockIdx.x % channels];
  Long first = (Long) blockIdx.y * 4 * blockDim.x + threadIdx.x;
#pragma unroll
  for (int part = 0; part < 4; part++) {
    Long k = first + part * blockDim.x;
    if (k < places) {
      T value = map[k] + own;
      map[k] = rectified && value < 0 ? 0 : value;
    }
  }
}

/** The upper half of a FLOAT, of which older cards know nothing: BFLOAT16. */
typedef unsigned short Half;

struct __align__(4) Halves {
  Half first;
  Half second;
};

/** To the nearest, and to an even one of two. */
static __device__ Half rounded(float number) {
  unsigned bits = __float_as_uint(number);
  return isnan(number) ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static __device__ float widened(Half number) {
  return __uint_as_float((unsigned) number << 16);
}

/**
 * A block a tile of 32 places and 64 channels, with 32×8 threads: maps [count, channels, places] to
 * [images, places, padded], with zeros for the images and channels that are not there.
 */
extern "C" __global__ void channelsLast_bfloat16(const float* maps, Half* last, Long count, Long channels, Long places, Long padded) {
  __shared__ float tile[2 * TILE][TILE + 1];
  Long image = blockIdx.z;
  Long start = (Long) blockIdx.x * TILE;
  Long top = (Long) blockIdx.y * 2 * TILE;
  Long place = start + threadIdx.x;
#pragma unroll
  for (int k = threadIdx.y; k < 2 * TILE; k += 8) {
    bool inside = image < count && top + k < channels && place < places;
    tile[k][threadIdx.x] = inside ? maps[(image * channels + top + k) * places + place] : 0;
  }
  __syncthreads();
  Long channel = top + 2 * threadIdx.x;
#pragma unroll
  for (int k = threadIdx.y; k < TILE; k += 8) {
    if (start + k < places && channel < padded) {
      Halves two = {rounded(tile[2 * threadIdx.x][k]), rounded(tile[2 * threadIdx.x + 1][k])};
      *(Halves*) (last + (image * places + start + k) * padded + channel) = two;
    }
  }
}

/** The way back, where a bias is added unless there is none, and what comes out is rectified if asked to. */
extern "C" __global__ void channelsFirst_bfloat16(const Half* last, const float* bias, float* maps, Long channels, Long places, Long padded, Long rectified) {
  __shared__ float tile[2 * TILE][TILE + 1];
  Long image = blockIdx.z;
  Long start = (Long) blockIdx.x * TILE;
  Long top = (Long) blockIdx.y * 2 * TILE;
  Long channel = top + 2 * threadIdx.x;
#pragma unroll
  for (int k = threadIdx.y; k < TILE; k += 8) {
    if (start + k < places && channel < padded) {
      Halves two = *(const Halves*) (last + (image * places + start + k) * padded + channel);
      tile[2 * threadIdx.x][k] = widened(two.first);
      tile[2 * threadIdx.x + 1][k] = widened(two.second);
    }
  }
  __syncthreads();
  Long place = start + threadIdx.x;
#pragma unroll
  for (int k = threadIdx.y; k < 2 * TILE; k += 8) {
    if (top + k < channels && place < places) {
      float value = tile[k][threadIdx.x] + (bias ? bias[top + k] : 0);
      maps[(image * channels + top + k) * places + place] = rectified && value < 0 ? 0 : value;
    }
  }
}

#define BOTH(NAME, PARAMETERS, ARGUMENTS)                                      \
  extern "C" __global__ void NAME##_float PARAMETERS(float) { NAME ARGUMENTS; } \
  extern "C" __global__ void NAME##_double PARAMETERS(double) { NAME ARGUMENTS; }

#define WINDOWS(T)                                                                                       \
  (const T* images, const T* delta, T* gradient, Long count, Long height, Long width, Long rows, Long columns, \
   Long kernelHeight, Long kernelWidth)
#define BIAS(T) (T* maps, const T* bias, Long channels, Long places, Long rectified)
#define COPY(T) (const T* from, T* to, Long n)
#define SCALED_COPY(T) (const T* from, T* to, Long n, double alpha)
#define DISTANCES(T) (T* gram, const T* norms, T* sums, Long n, double kept)
#define SCALED(T) (T* values, const T* factors, Long rows, Long n)
#define ROOTS(T) (T* vectors, const T* weights, T* roots, Long length, double floor)
#define PRODUCTS(T) (const T* a, const T* b, T* sums, Long length, double alpha)
#define INVERSES(T) (T* values, Long count, double factor, double bound)
#define ADDED(T) (const T* a, T* c, Long count, double alpha)
#define COPIED(T) (const T* source, T* target, Long from, Long to, Long step, Long count)
#define PRODUCTS_BY(T) (const T* matrix, const T* factors, T* products, Long count, Long columns)
#define RECTIFIED(T) (T* values, Long count)
#define RECTIFIED_GRADIENT(T) (const T* values, const T* delta, T* gradient, Long count)
#define CHANNELS(T) (const T* images, T* sums, Long count, Long channels, Long places)
#define RESPONSES(T)                                                                                     \
  (const T* maps, T* output, Long count, Long channels, Long places, Long reach, double alpha, double beta, \
   double k)
#define RESPONSES_GRADIENT(T)                                                                            \
  (const T* maps, const T* delta, T* gradient, Long count, Long channels, Long places, Long reach, \
   double alpha, double beta, double k)
#define FIGURES(T) (const T* values, double* figures, Long count, Long step)

BOTH(packTriangles, COPY, (from, to, n))
BOTH(unpackSymmetric, COPY, (from, to, n))
BOTH(addTransposed, SCALED_COPY, (from, to, n, alpha))
BOTH(diagonals, COPY, (from, to, n))
BOTH(squaredDistances, DISTANCES, (gram, norms, sums, n, kept))
BOTH(exponentials, SCALED, (values, factors, rows, n))
BOTH(signedRoots, ROOTS, (vectors, weights, roots, length, floor))
BOTH(rowProducts, PRODUCTS, (a, b, sums, length, alpha))
BOTH(inverseRoots, INVERSES, (values, count, factor, bound))
BOTH(inverseSquares, INVERSES, (values, count, factor, bound))
BOTH(squares, FIGURES, (values, figures, count, step))
BOTH(asymmetries, FIGURES, (values, figures, count, step))
BOTH(normalize, RESPONSES, (maps, output, count, channels, places, reach, alpha, beta, k))
BOTH(normalizeGradient, RESPONSES_GRADIENT,
     (maps, delta, gradient, count, channels, places, reach, alpha, beta, k))
BOTH(channelSums, CHANNELS, (images, sums, count, channels, places))
BOTH(add, ADDED, (a, c, count, alpha))
BOTH(copy, COPIED, (source, target, from, to, step, count))
BOTH(scaleRows, PRODUCTS_BY, (matrix, factors, products, count, columns))
BOTH(scaleColumns, PRODUCTS_BY, (matrix, factors, products, count, columns))
BOTH(rectify, RECTIFIED, (values, count))
BOTH(rectifierGradient, RECTIFIED_GRADIENT, (values, delta, gradient, count))
BOTH(largestGradient, WINDOWS,
     (images, delta, gradient, count, height, width, rows, columns, kernelHeight, kernelWidth))
BOTH(addBias, BIAS, (maps, bias, channels, places, rectified))
