/** The flags of the server that starts them (scripts/run-node.sh has the reasons); a test compares both lists. */
export const NODE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
]
