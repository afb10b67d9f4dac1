import type { FaultKind } from '../classes/index.ts'

/** Faults after which a process that ends by itself waited for all its answers. */
export const CALM: readonly FaultKind[] = [
  'kill',
  'kill-all',
  'terminate',
  'second-run',
  'change',
  'kill-worker',
  'engine-killed',
  'converter-missing',
  'download-hangs',
  'maintenance',
  'double-signal',
  'full-disk',
]

/** Faults in which requests that were sent do not come to the service. */
export const UNHEARD: readonly FaultKind[] = ['service-away', 'wrong-address']

/** Faults in which a process holds answers until its writes succeed. */
export const FAILS_TO_WRITE: readonly FaultKind[] = [
  'write-errors',
  'deleted-store',
  'store-full',
  'store-read-only',
  'store-hangs',
  'store-vanishes',
]

/** Faults after which documents that had come to an end are new again. */
export const TAKES_AWAY: readonly FaultKind[] = [
  'unmounted-source',
  'unmounted-store',
  'deleted-store',
  'store-vanishes',
  'damaged-records',
  'blind-gc',
]
