/** Flags of the server that starts the children (scripts/run-node.sh has the reasons). A test compares both lists. */
export const NODE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
]
