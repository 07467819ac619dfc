# What OpenBLAS reads when it is loaded, so that it has to be there before Java starts. For sourcing.

# The OpenBLAS of DL4J 1.0.0-M2.1 computes wrongly with AVX-512 (in doubles, where it recognises the CPU), or several
# times slower than it could (where it does not). With AVX2 it is right, and fast.
if grep -qs avx512f /proc/cpuinfo; then
  export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-HASWELL}"
fi

# ND4J's threads (OpenMP) and those of OpenBLAS wait for work by spinning, and take the processors from each other.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
export OPENBLAS_THREAD_TIMEOUT="${OPENBLAS_THREAD_TIMEOUT:-4}"
