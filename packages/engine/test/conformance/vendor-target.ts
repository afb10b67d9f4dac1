import { packageOf, type Part } from '../office/generated/package-of.ts'

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
  const names =
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
  const p = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
  const atEdge = (kind: string, tag: string, text: string): Part => ({
    path: `word/${kind}1.xml`,
    type: `${type}.${kind}+xml`,
    xml: `<w:${tag} ${names}>${p(text)}</w:${tag}>`,
  })
  const furniture = '<w:headerReference w:type="default" r:id="r1"/><w:footerReference w:type="default" r:id="r2"/>'
  const document: Part = {
    path: 'word/document.xml',
    type: `${type}.document.main+xml`,
    xml: `<w:document ${names}><w:body>${p('The middle of it')}<w:sectPr>${furniture}</w:sectPr></w:body></w:document>`,
    refersTo: { r1: ['header', 'word/header1.xml'], r2: ['footer', 'word/footer1.xml'] },
  }
  const [header, footer] = [atEdge('header', 'hdr', 'What stands above'), atEdge('footer', 'ftr', 'What stands below')]
  return packageOf([document, header, footer], 6)
}
