/** What Node runs each of our processes with, as run-node.sh and the Dockerfile run the first one; the reasons are in run-node.sh. */
export const NODE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
]

/** Read by malloc of glibc, before the process runs a line. */
export const ALLOCATOR: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' }
