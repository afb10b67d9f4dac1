/**
 * Flags of Node for each of our processes, equal to those of run-node.sh and the Dockerfile; run-node.sh explains them.
 */
export const NODE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
]

/** Read by malloc of glibc at process start. */
export const ALLOCATOR: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' }
