/** Small named files of a store for maintenance notes (`.sluice/`). */
export interface NoteStorage {
  /** Null if the file does not exist. Throws if the store is unavailable. */
  read(name: string): Promise<Buffer | null>
  /** Atomic, and durable when it resolves: no reader sees a partial file. Replaces a file of this name. */
  write(name: string, bytes: Uint8Array): Promise<void>
}
