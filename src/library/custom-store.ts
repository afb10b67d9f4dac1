import { SetupError } from '#src/document/setup-error.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

const PORTS = ['receipts', 'documents', 'deadLetters', 'manifest', 'maintenance', 'feed', 'notes'] as const

/**
 * Returns a caller's store. JavaScript callers have no type check, and a store for 0.2.0 had its methods at the top.
 *
 * @throws {SetupError} if a port is missing
 */
export function customStore(store: OutputStore): OutputStore {
  const missing = PORTS.filter((port) => store[port] === undefined)
  if (missing.length === 0) return store
  throw new SetupError(
    `the given store lacks ${missing.join(', ')}: an OutputStore has every port as a field (docs/reference/library.md)`,
  )
}
