import { assertNever } from '#src/kit/assert-never.ts'
import type { Remedy } from '#src/document/verdict.ts'
import { MAX_TIMEOUT_MS, type ParseOptions } from '@sluice/contract'

const NOTHING: Remedy = { kind: 'none' }

/** Twice the time for a document that ran out of it, up to what the contract allows. */
export function longerTimeout(timeoutMs: number): Remedy {
  if (timeoutMs >= MAX_TIMEOUT_MS) return NOTHING
  return { kind: 'timeout', timeoutMs: Math.min(timeoutMs * 2, MAX_TIMEOUT_MS) }
}

/** "… increase the timeout to at least 42000ms": that time; none where it names more than the contract allows. */
export function timeoutNamedIn(text: string, timeoutMs: number): Remedy {
  const named = /at least\s+(\d+)\s*ms/i.exec(text)?.[1]
  if (named === undefined) return longerTimeout(timeoutMs)
  const neededMs = Number(named)
  return neededMs > timeoutMs && neededMs <= MAX_TIMEOUT_MS ? { kind: 'timeout', timeoutMs: neededMs } : NOTHING
}

/** A scan met in mode `fast`: only the two other modes read pictures. */
export function ocrMode(options: ParseOptions): Remedy {
  return options.parsers.some(({ mode }) => mode === 'fast') ? { kind: 'mode', mode: 'auto' } : NOTHING
}

/** The options changed as a remedy says; null where that changes nothing, and another try would end in the same way. */
export function remedied(options: ParseOptions, remedy: Remedy): ParseOptions | null {
  switch (remedy.kind) {
    case 'none':
      return null
    case 'timeout':
      return remedy.timeoutMs > options.timeout ? { ...options, timeout: remedy.timeoutMs } : null
    case 'mode': {
      const { mode } = remedy
      const changes = options.parsers.some((parser) => parser.mode !== mode)
      return changes ? { ...options, parsers: options.parsers.map((parser) => ({ ...parser, mode })) } : null
    }
    default:
      return assertNever(remedy)
  }
}
