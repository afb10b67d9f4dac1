import type { StoreSource } from '#src/document/store-manifest.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Render } from './content.ts'
import type { DocumentIndex } from './document-index.ts'
import type { LivePipeline } from './live.ts'

export interface ViewOptions {
  readonly store: OutputStore
  readonly sources: readonly StoreSource[]
  readonly index: DocumentIndex
  /** A PNG of a page of a PDF; null where it cannot be drawn. */
  readonly draw: (request: {
    readonly path: string
    readonly page: number
    readonly dpi: number
  }) => Promise<Uint8Array | null>
  readonly render: Render
  /** Null where no source is known for the store. */
  readonly live: LivePipeline | null
  /** Whether the store was read once. */
  readonly isIndexed: () => boolean
  /** Of Sluice. */
  readonly version: string
  readonly allowWrites: boolean
  /** Does documents with this failure code again; null where the source is not known. */
  readonly retry: ((code: string) => void) | null
  readonly retryCommand: (code: string) => string | null
  /** Called with what went wrong while an answer was made. */
  readonly onError: (error: unknown) => void
}
