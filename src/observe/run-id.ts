import { randomUUID } from 'node:crypto'

/** Names this process from its start to its end, on all machines: process ids come again, in containers at once. */
export const RUN_ID = randomUUID()
