# What native libraries read when they are loaded, so that it has to be there before Java starts. For sourcing.

# ND4J's threads (OpenMP) and those of OpenBLAS wait for work by spinning, and take the processors from each other.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
export OPENBLAS_THREAD_TIMEOUT="${OPENBLAS_THREAD_TIMEOUT:-4}"

# ND4J's convolutions allocate memory in each call. glibc would give blocks of that size back to Linux when they are
# freed, and Linux would fill them with zeros when they are allocated again. So keep them, up to 1 GiB at the end of
# the heap.
export MALLOC_MMAP_MAX_="${MALLOC_MMAP_MAX_:-0}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}" # arenas other than the first hold no large blocks
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-1073741824}"
