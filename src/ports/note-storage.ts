/** Small files of a store, each known by its name: what maintenance notes (`.sluice/`). */
export interface NoteStorage {
  /** Null where there is none; never because the store is away. */
  read(name: string): Promise<Buffer | null>
  /** Atomic and durable when it resolves: no reader sees a part. A file of this name is replaced. */
  write(name: string, bytes: Uint8Array): Promise<void>
}
