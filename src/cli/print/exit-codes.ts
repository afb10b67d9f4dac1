import type { HaltCause } from '#src/document/verdict.ts'

/** Exit codes of every command (docs/reference/exit-codes.md). */
export const EXIT = {
  allDone: 0,
  usage: 1,
  someFailed: 2,
  halted: 3,
  /** 128 + SIGINT, as shells count it: stopped by hand or by SIGTERM or SIGHUP, everything kept. */
  interrupted: 130,
} as const

export type RunEnd =
  /** `unfinished`: documents that were listed and did not come to an end. */
  | { readonly kind: 'complete'; readonly unfinished?: number }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }
  | { readonly kind: 'interrupted'; readonly by?: NodeJS.Signals | null }

/** The honest exit code of a run: what was not done is never hidden behind a zero (Law 7). */
export function exitCodeOf(
  end: RunEnd,
  counts: {
    readonly failed: number
    readonly pending: number
    /** Files in a format that no parser takes; only where the user wants them to count (`--strict`). */
    readonly unsupported?: number
  },
): number {
  if (end.kind === 'halted') return end.cause === 'installation' ? EXIT.usage : EXIT.halted
  if (end.kind === 'interrupted') return EXIT.interrupted
  const left = counts.pending + (end.unfinished ?? 0)
  return counts.failed + left + (counts.unsupported ?? 0) > 0 ? EXIT.someFailed : EXIT.allDone
}

/** Ascending by how much each needs the operator's attention. */
const WORSE: readonly number[] = [EXIT.allDone, EXIT.someFailed, EXIT.halted, EXIT.usage, EXIT.interrupted]

/** The exit code of a process that did several things. */
export const worstOf = (codes: readonly number[]): number =>
  WORSE.findLast((code) => codes.includes(code)) ?? EXIT.allDone
