import { DependencyUnusable } from '#src/document/dependency.ts'
import { describeSystemError } from '#src/document/describe-system-error.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'

/** A mistake that the user can correct: shown as its message alone, without a stack. Exit code 1. */
export class UsageError extends Error {
  override name = 'UsageError' as const
}

/** Ends a command whose errors stand on the screen already, one a pipeline. */
export class Reported extends Error {
  override name = 'Reported' as const
}

const COMPLETE = [UsageError, SetupError, StoreRefused, StoreUnusable, SourceUnusable, DependencyUnusable]

/**
 * What the terminal shows of an error: the message of one that is complete, else one sentence on what the system said.
 * Null for a bug: no sentence of ours explains it.
 */
export function explanationOf(error: unknown): string | null {
  if (error instanceof Error && COMPLETE.some((kind) => error instanceof kind)) return error.message
  return describeSystemError(error)
}

/** One sentence about an error after which the other pipelines went on. */
export const messageOf = (error: unknown): string =>
  explanationOf(error) ?? (error instanceof Error ? error.message : String(error))
