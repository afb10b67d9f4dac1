import { tmpdir } from 'node:os'
import type { KeepBytes, UrlAnswer } from '@sluice/fetch'
import { TempFile } from '../temp-file.ts'

/** Header fields of a kept answer: those that decide type, name and version of a document. */
const KEPT_HEADERS = ['content-type', 'content-disposition', 'content-length', 'etag', 'last-modified', 'date']

/** Maximum size of one of two files. The older one is dropped when the younger one is full. */
const MAX_FILE_BYTES = 512 * 1024 ** 2

export type PageHeader = Pick<UrlAnswer, 'header'>

interface KeptPage extends PageHeader {
  readonly file: TempFile
  readonly from: number
  readonly bytes: number
}

/**
 * Pages that the listing of a site read, on disk, until their documents are converted: a page is fetched once. A page
 * that is missing here is fetched again.
 */
export class PageCache implements AsyncDisposable {
  readonly #limit: number
  #pages = new Map<string, KeptPage>()
  #older = new Map<string, KeptPage>()
  #file: TempFile | null = null
  #olderFile: TempFile | null = null
  /** Writes run one after the other: the position of a page is the length of the file before it. */
  #writing: Promise<void> = Promise.resolve()
  #reads = new Set<Promise<unknown>>()

  constructor(limit = MAX_FILE_BYTES) {
    this.#limit = limit
  }

  readonly keep =
    (url: URL, answer: UrlAnswer): ReturnType<KeepBytes> =>
    (bytes) =>
      this.#inOrder(() => this.#append(url, answer, bytes))

  /** Copies a kept page; null for an unknown one. */
  async find(url: URL): Promise<(PageHeader & { readonly body: Buffer }) | null> {
    const kept = this.#pages.get(url.href) ?? this.#older.get(url.href)
    if (kept === undefined) return null
    const reading = readAll(kept)
    this.#reads.add(reading)
    try {
      return { header: kept.header, body: await reading }
    } finally {
      this.#reads.delete(reading)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inOrder(async () => {
      this.#pages.clear()
      this.#older.clear()
      await Promise.allSettled(this.#reads)
      await this.#olderFile?.[Symbol.asyncDispose]()
      await this.#file?.[Symbol.asyncDispose]()
      this.#olderFile = this.#file = null
    })
  }

  #inOrder(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write)
    this.#writing = written.catch(() => undefined)
    return written
  }

  async #append(url: URL, answer: UrlAnswer, bytes: Buffer): Promise<void> {
    if (this.#file !== null && this.#file.length + bytes.length > this.#limit) await this.#rotate()
    const file = (this.#file ??= await TempFile.open(tmpdir()))
    const from = file.length
    await file.append(bytes)
    const fields = new Map(KEPT_HEADERS.map((name) => [name, answer.header(name)]))
    this.#pages.set(url.href, { file, from, bytes: bytes.length, header: (name) => fields.get(name) ?? null })
  }

  async #rotate(): Promise<void> {
    const dropped = this.#olderFile
    ;[this.#older, this.#pages] = [this.#pages, new Map()]
    ;[this.#olderFile, this.#file] = [this.#file, null]
    await Promise.allSettled(this.#reads)
    await dropped?.[Symbol.asyncDispose]()
  }
}

async function readAll({ file, from, bytes }: KeptPage): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  for await (const chunk of file.read(from, bytes, new AbortController().signal)) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
