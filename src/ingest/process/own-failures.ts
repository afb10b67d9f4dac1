import type { Failure } from '#src/document/failure.ts'

/* Failures that need no parser: what the worker sees of a document by itself. */

export const unsupported: Failure = {
  code: 'unsupported_type',
  stage: 'read',
  message: 'its name does not end in a supported extension',
}
export const changing: Failure = {
  code: 'changing',
  stage: 'read',
  message: 'the file kept changing while it was read; run again when nothing writes to it',
}
export const pastDeadline = (deadlineMs: number): Failure => ({
  code: 'deadline',
  stage: 'gate',
  message: `it waited for longer than the deadline of ${(deadlineMs / 3_600_000).toFixed(1)} hours`,
})
