/** The body of an object: its text in Latin 1, its bytes, or several of these one after the other. */
export type PdfObject = string | Uint8Array | readonly (string | Uint8Array)[]

/**
 * A PDF file piece by piece: objects numbered from 1, of which the first is the catalog, in the order in which they are
 * given, and a classic cross-reference table. Nothing hides the bytes of an object.
 */
export function* pdfPieces(objects: Iterable<PdfObject>, trailer = ''): Generator<Buffer> {
  let at = 0
  const piece = (content: string | Uint8Array): Buffer => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : Buffer.from(content)
    at += bytes.length
    return bytes
  }
  const offsets: number[] = []
  yield piece('%PDF-1.5\n')
  for (const object of objects) {
    yield piece(`${offsets.push(at)} 0 obj\n`)
    for (const part of typeof object === 'string' || ArrayBuffer.isView(object) ? [object] : object) yield piece(part)
    yield piece('\nendobj\n')
  }
  const start = at
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = offsets.length + 1
  yield piece(`xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root 1 0 R${trailer}>>\n`)
  yield piece(`startxref\n${start}\n%%EOF\n`)
}

export const pdfFile = (objects: Iterable<PdfObject>): Buffer<ArrayBuffer> => Buffer.concat([...pdfPieces(objects)])

/** A stream object; its length joins what `dictionary` holds. */
export function pdfStream(dictionary: string, data: string | Uint8Array): PdfObject {
  return [`<<${dictionary}/Length ${data.length}>>\nstream\n`, data, '\nendstream']
}
