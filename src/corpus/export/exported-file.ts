/** What `manifest.json` says of a file. */
export interface ExportedFile {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** A file of an export that is written row by row, and never held whole. */
export interface RowsFile {
  write(row: object): Promise<void>
  /** What is written is on the disk when this resolves. */
  close(): Promise<ExportedFile>
  /** Repeatable. */
  abandon(): Promise<void>
}
