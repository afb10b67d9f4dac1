import type { HaltCause } from '#src/document/verdict.ts'

/** Exit codes of every command (docs/reference/exit-codes.md). */
export const EXIT = {
  allDone: 0,
  usage: 1,
  someFailed: 2,
  halted: 3,
  /** 128 + SIGINT, as in shells: stopped by hand or by SIGTERM or SIGHUP, everything kept. */
  interrupted: 130,
} as const

export type RunEnd =
  /** `unfinished`: number of listed documents without a final outcome. */
  | { readonly kind: 'complete'; readonly unfinished?: number }
  | { readonly kind: 'halted'; readonly cause: HaltCause; readonly message: string }
  | { readonly kind: 'interrupted'; readonly by?: NodeJS.Signals | null }

/** The honest exit code of a run: a zero never hides undone work (Law 7). */
export function exitCodeOf(
  end: RunEnd,
  counts: {
    readonly failed: number
    readonly pending: number
    /** Number of files in an unsupported format; only if the user wants them to count (`--strict`). */
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

/** The exit code of a process with several results. */
export const worstOf = (codes: readonly number[]): number =>
  WORSE.findLast((code) => codes.includes(code)) ?? EXIT.allDone
