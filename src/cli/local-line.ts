import type { LocalDocuments } from '#src/ingest/process/local-documents.ts'
import { count, plural } from './format.ts'

/** What a run against a service does again, and what that costs. */
export const localLine = ({ documents, credits }: LocalDocuments, origin: string): string =>
  `${plural(documents, 'document')} parsed by the embedded engine before: ${origin} parses ` +
  `${documents === 1 ? 'it' : 'them'} again for up to ${count(credits)} credits (--accept-local keeps what is there)`
