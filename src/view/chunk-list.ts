import type { DocumentChunks } from '#src/corpus/search/search-store.ts'
import { PAGE_CHUNKS } from './api-schemas.ts'

/** Number of the first chunk of a page of the list, from 0. */
export const firstOf = ({ page: number = 1, chunk }: ChunkPlace): number =>
  (chunk === undefined ? number - 1 : Math.floor((chunk - 1) / PAGE_CHUNKS)) * PAGE_CHUNKS

interface ChunkPlace {
  readonly page?: number | undefined
  readonly chunk?: number | undefined
}

const REASONS = {
  no_markdown: 'it was parsed without Markdown',
  damaged: 'its files differ from its record: run verify --repair',
  gone: 'it is gone from its source',
} as const

/** Reason why a document has no chunks. */
export const noChunks = (status: Exclude<DocumentChunks['status'], 'read'>): string =>
  status === null ? 'the store has no such document' : `this document has no chunks: ${REASONS[status]}`
