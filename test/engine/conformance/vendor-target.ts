import { zipSync } from 'fflate'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly success?: boolean
    readonly code?: string
    readonly error?: string
    readonly allowed_methods?: readonly string[]
    readonly data?: Readonly<Record<string, unknown>> & { readonly metadata?: Readonly<Record<string, unknown>> }
  }
}

export interface Upload {
  readonly content: string | Buffer
  readonly name: string
  readonly type: string
}

export interface FormatRow {
  readonly format: string
  readonly kind: string
  readonly extensions: readonly string[]
  readonly mimeTypes: readonly string[]
  readonly available: boolean
}

/** The engine under test; a request that several statements are about is sent once. */
export class VendorTarget {
  readonly #url: string
  readonly #key: string
  readonly #answers = new Map<string, Promise<Answer>>()

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  ask(method: string, path: string, { key = this.#key, body }: { key?: string; body?: FormData | string } = {}) {
    const headers = { authorization: `Bearer ${key}` }
    const send = async (): Promise<Answer> => {
      const response = await fetch(`${this.#url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Answer['body'],
      }
    }
    return send()
  }

  parse(upload: Upload | null, options: object | string): Promise<Answer> {
    const written = typeof options === 'string' ? options : JSON.stringify(options)
    const name = `${upload?.name} ${upload?.type} ${written}`
    const known = this.#answers.get(name)
    if (known !== undefined) return known
    const body = new FormData()
    body.append('options', written)
    if (upload !== null) {
      body.append('file', new Blob([new Uint8Array(Buffer.from(upload.content))], { type: upload.type }), upload.name)
    }
    const asked = this.ask('POST', '/v2/parse', { body })
    this.#answers.set(name, asked)
    return asked
  }

  async formats(): Promise<readonly FormatRow[]> {
    const { body } = await this.ask('GET', '/v2/parse/formats')
    return (body.data as unknown as { readonly formats: readonly FormatRow[] }).formats
  }

  async format(name: string): Promise<FormatRow | undefined> {
    return (await this.formats()).find(({ format }) => format === name)
  }
}

/** A Word document with a header, a line of text and a footer. */
export function docxWithFurniture(): Buffer {
  const text = (value: string): Uint8Array => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${value}`)
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  const r = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
  const p = (value: string): string => `<w:p><w:r><w:t>${value}</w:t></w:r></w:p>`
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
  const relations = (rows: string): string =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rows}</Relationships>`
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': text(
        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${main}.document.main+xml"/><Override PartName="/word/header1.xml" ContentType="${main}.header+xml"/><Override PartName="/word/footer1.xml" ContentType="${main}.footer+xml"/></Types>`,
      ),
      '_rels/.rels': text(
        relations(`<Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/>`),
      ),
      'word/_rels/document.xml.rels': text(
        relations(
          `<Relationship Id="rId1" Type="${office}/header" Target="header1.xml"/><Relationship Id="rId2" Type="${office}/footer" Target="footer1.xml"/>`,
        ),
      ),
      'word/document.xml': text(
        `<w:document ${w} ${r}><w:body>${p('The middle of it')}<w:sectPr><w:headerReference w:type="default" r:id="rId1"/><w:footerReference w:type="default" r:id="rId2"/></w:sectPr></w:body></w:document>`,
      ),
      'word/header1.xml': text(`<w:hdr ${w}>${p('What stands above')}</w:hdr>`),
      'word/footer1.xml': text(`<w:ftr ${w}>${p('What stands below')}</w:ftr>`),
    }),
  )
}
