/** Maximum depth. The parser drops deeper records. Real ones nest less than 20. */
const MAX_DEPTH = 40

/** A record of a presentation of 97 to 2003 or of its drawings ([MS-PPT] 2.3.1, [MS-ODRAW] 2.2.1). */
export interface PptRecord {
  readonly type: number
  /** recInstance of its header. */
  readonly instance: number
  readonly data: Buffer
  readonly isContainer: boolean
}

export function* recordsIn(data: Buffer): Generator<PptRecord> {
  for (let at = 0; at + 8 <= data.length;) {
    const [version, type, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2), data.readUInt32LE(at + 4)]
    const end = at + 8 + length
    if (end > data.length) return
    yield { type, instance: version >> 4, data: data.subarray(at + 8, end), isContainer: (version & 0xf) === 0xf }
    at = end
  }
}

export function* pptDescendants(data: Buffer, type: number, depth = 0): Generator<PptRecord> {
  if (depth > MAX_DEPTH) return
  for (const record of recordsIn(data)) {
    if (record.type === type) yield record
    if (record.isContainer) yield* pptDescendants(record.data, type, depth + 1)
  }
}

const TEXT_CHARS = 0x0fa0
const TEXT_BYTES = 0x0fa8

/** Returns the texts of a shape, in file order. */
export function pptTexts(data: Buffer, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  return Array.from(recordsIn(data), (record) => {
    if (record.isContainer) return pptTexts(record.data, depth + 1)
    if (record.type === TEXT_CHARS) return [record.data.toString('utf16le')]
    return record.type === TEXT_BYTES ? [record.data.toString('latin1')] : []
  }).flat()
}
