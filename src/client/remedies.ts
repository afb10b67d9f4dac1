import { assertNever } from '#src/kit/assert-never.ts'
import type { Remedy } from '#src/document/verdict.ts'
import { MAX_TIMEOUT_MS, type ParseOptions } from '@sluice/contract'

const NOTHING: Remedy = { kind: 'none' }

/** Doubles the timeout of a document that ran out of time, up to the maximum of the contract. */
export function longerTimeout(timeoutMs: number): Remedy {
  if (timeoutMs >= MAX_TIMEOUT_MS) return NOTHING
  return { kind: 'timeout', timeoutMs: Math.min(timeoutMs * 2, MAX_TIMEOUT_MS) }
}

/** Parses the time in "… increase the timeout to at least 42000ms"; none if it exceeds the maximum of the contract. */
export function timeoutNamedIn(text: string, timeoutMs: number): Remedy {
  const named = /at least\s+(\d+)\s*ms/i.exec(text)?.[1]
  if (named === undefined) return longerTimeout(timeoutMs)
  const neededMs = Number(named)
  return neededMs > timeoutMs && neededMs <= MAX_TIMEOUT_MS ? { kind: 'timeout', timeoutMs: neededMs } : NOTHING
}

/** A scan met mode `fast`: only the two other modes read pictures. */
export function ocrMode(options: ParseOptions): Remedy {
  return options.parsers.some(({ mode }) => mode === 'fast') ? { kind: 'mode', mode: 'auto' } : NOTHING
}

/** Applies a remedy to the options; null if it changes nothing, because another attempt would end alike. */
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
