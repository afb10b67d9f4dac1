/** Something that the person at the terminal can mend: shown as its message alone, without a stack. Exit code 1. */
export class UsageError extends Error {
  override name = 'UsageError' as const
}
