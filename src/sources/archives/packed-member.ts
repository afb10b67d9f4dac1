import type { SkipReason } from '#src/document/skip.ts'

/** A member while it is unpacked. Folders are none. */
export interface PackedMember {
  readonly name: string
  /** Why it is no document whatever its name is: a link, a device. Null for a file. */
  readonly skip: SkipReason | null
  /** Its bytes. Not asked for, they are passed over. */
  open(): Promise<AsyncIterable<Uint8Array>>
}
