import type { SkipReason } from '#src/document/skip.ts'

/** A member during unpacking. Folders are not members. */
export interface PackedMember {
  /** Path below the container. Empty for the message of a mail, which has the key of the mail. */
  readonly name: string
  /** Reason why it is not a document under any name: a link, a device. Null for a file. */
  readonly skip: SkipReason | null
  /** Opens a stream of its bytes. The unpacker skips them otherwise. */
  open(): Promise<AsyncIterable<Uint8Array>>
}
