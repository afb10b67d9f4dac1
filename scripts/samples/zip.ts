import { strToU8, unzipSync, type Zippable, zipSync } from 'fflate'

/** A fixed time: the same content is the same file on every machine. */
const MODIFIED = new Date(2024, 11, 1)

/**
 * Packs parts in the given order. OpenDocument and EPUB want the part `mimetype` first and uncompressed: readers detect
 * the kind at a fixed offset.
 */
export function zip(parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const files: Zippable = {}
  for (const [name, content] of Object.entries(parts)) {
    const bytes = typeof content === 'string' ? strToU8(content) : content
    files[name] = [bytes, { level: name === 'mimetype' ? 0 : 9, mtime: MODIFIED }]
  }
  return zipSync(files)
}

/** The same package with one changed part. */
export function editPart(archive: Uint8Array, name: string, edit: (part: Uint8Array) => Uint8Array): Uint8Array {
  const parts = unzipSync(archive)
  const part = parts[name]
  if (part === undefined) throw new Error(`the package has no part ${name}`)
  return zip({ ...parts, [name]: edit(part) })
}
