# What OpenBLAS reads when it is loaded, so that it has to be there before Java starts. For sourcing.

# ND4J's threads (OpenMP) and those of OpenBLAS wait for work by spinning, and take the processors from each other.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
export OPENBLAS_THREAD_TIMEOUT="${OPENBLAS_THREAD_TIMEOUT:-4}"
