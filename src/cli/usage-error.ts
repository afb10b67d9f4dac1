import { DependencyUnusable } from '#src/document/dependency.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'

/** Something that the person at the terminal can mend: shown as its message alone, without a stack. Exit code 1. */
export class UsageError extends Error {
  override name = 'UsageError' as const
}

/** What a person is told of an error that others of several went on without. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether an error's message is all that there is to say: a mistake, or surroundings that failed. */
export const isForPeople = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof StoreRefused ||
  error instanceof StoreUnusable ||
  error instanceof SourceUnusable ||
  error instanceof DependencyUnusable
