/** Search window for the first element, in bytes. A BOM, comments and declarations may precede it. */
const HEAD_BYTES = 4096
const HTML = /^\s*(?:<\?xml\b[^>]*>\s*|<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|meta|table|div|p)\b/i
const MIME = /^(?:[\w-]+:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*)*?(?:MIME-Version|Content-Type):/i

export interface WebPage {
  readonly bytes: Uint8Array
  /** Header of the archive's part. Null if the page states its type itself. */
  readonly contentType: string | null
}

/**
 * Returns the web page inside an Office file. Word, Excel and wikis save pages under the extensions of documents, as
 * HTML or as a single-file archive (MHTML, RFC 2557). Null for any other file.
 */
export function webPageIn(bytes: Buffer): WebPage | null {
  const head = headText(bytes)
  if (HTML.test(head)) return { bytes, contentType: null }
  return MIME.test(head) ? pageOfArchive(bytes.toString('latin1')) : null
}

function headText(bytes: Buffer): string {
  const head = bytes.subarray(0, HEAD_BYTES)
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le').slice(1)
  return head.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '')
}

/** Decodes the first HTML part of an archive. */
function pageOfArchive(archive: string): WebPage | null {
  const boundary = /boundary\s*=\s*"?([^"\r\n;]+)/i.exec(archive.slice(0, HEAD_BYTES))?.[1]
  const parts = boundary === undefined ? [archive] : archive.split(`--${boundary}`)
  for (const part of parts) {
    const gap = /\r?\n\r?\n/.exec(part)
    if (gap === null) continue
    const headers = part.slice(0, gap.index).replace(/\r?\n[ \t]+/g, ' ')
    const contentType = /^content-type:\s*(.+)$/im.exec(headers)?.[1] ?? ''
    if (!/^text\/html/i.test(contentType)) continue
    const body = part.slice(gap.index + gap[0].length)
    return { bytes: decoded(body, /^content-transfer-encoding:\s*([\w-]+)/im.exec(headers)?.[1] ?? ''), contentType }
  }
  return null
}

function decoded(body: string, encoding: string): Uint8Array {
  if (/^base64$/i.test(encoding)) return Buffer.from(body, 'base64')
  if (!/^quoted-printable$/i.test(encoding)) return Buffer.from(body, 'latin1')
  const text = body
    .replace(/[ \t]*=\r?\n/g, '')
    .replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
  return Buffer.from(text, 'latin1')
}
