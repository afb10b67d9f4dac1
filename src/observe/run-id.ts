import { randomUUID } from 'node:crypto'

/**
 * Id of this process from its start to its end, unique over all machines: process ids repeat, in containers at once.
 */
export const RUN_ID = randomUUID()
