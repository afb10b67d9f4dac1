let id: string | null = null

/**
 * Id of this process from its start to its end, unique over all machines: process ids repeat, in containers at once. Made at
 * the first call: a command that writes no log does not load the cryptography.
 */
export const runId = (): string => (id ??= crypto.randomUUID())
