import { patchSource } from './patch-source.ts'

/** A mutant: the record is written in place, and the outputs that it lists after it. */
patchSource('src/outputs/folder-store.ts', [
  [
    'checkFiles(record, files)',
    `checkFiles(record, files)
    const { folder } = this.#place(record.key)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await writeFlushed(join(folder, RECORD_FILE), toJson(record))
    for (const [name, bytes] of files) await writeFlushed(join(folder, name), bytes)
    await rm(this.#place(record.key).letter, { force: true })
    if (files.size >= 0) return`,
  ],
])
