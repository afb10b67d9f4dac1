import type { SkipReason } from '#src/document/skip.ts'

/** A member during unpacking. Folders are not members. */
export interface PackedMember {
  readonly name: string
  /** Reason why it is not a document under any name: a link, a device. Null for a file. */
  readonly skip: SkipReason | null
  /** Opens a stream of its bytes. The unpacker skips them otherwise. */
  open(): Promise<AsyncIterable<Uint8Array>>
}
