import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { once } from 'node:events'
import { pipeline } from 'node:stream'
import { type MimeNode, type SplitterChunk, Splitter } from '@zone-eu/mailsplit'
import { addressParser, type Address, decodeWords } from 'postal-mime'
import { decodeBody, markdownOfHtml, markdownOfText } from './body-text.ts'
import { type Attachment, type Mail, type MailHeader, type PartsFile, shownIn, skipOfPart } from './mail.ts'
import { partName } from './part-name.ts'
import { withMarkedHistory } from './quoted-history.ts'
import { markdownOfBody } from './raw-body.ts'
import { readTnef } from './read-tnef.ts'

/** Limits of one message. Beyond them it is an attack, or no mail. */
const LIMITS = { maxHeadSize: 4 * 1024 ** 2, maxChildNodes: 10_000, ignoreEmbedded: true }

/** Maximum size of a text part in the body, in bytes. A longer one is a data file, and becomes an attachment. */
const BODY_BYTES = 8 * 1024 ** 2

/** Maximum size of a winmail.dat, in bytes. */
const TNEF_BYTES = 100 * 1024 ** 2

/** A part that is not multipart. */
interface Leaf {
  readonly node: MimeNode
  readonly mediaType: string
  /** Text of the body, as long as it is one; null for an attachment. */
  chunks: Buffer[] | null
  bytes: number
  offset: number
}

/**
 * Reads a message (RFC 5322, RFC 2045 to 2049) as a stream: memory holds its texts, never an attachment. Returns null
 * for a file without a header of a message.
 */
export async function readMime(path: string, parts: PartsFile): Promise<Mail | null> {
  const splitter = pipeline(createReadStream(path), new Splitter(LIMITS), () => undefined)
  const leaves: Leaf[] = []
  let root: MimeNode | null = null
  let part: OpenPart | null = null
  for await (const chunk of splitter as AsyncIterable<SplitterChunk>) {
    if (chunk.type === 'node') {
      await part?.close()
      root ??= chunk
      if (root === chunk && !isMessage(chunk)) return null
      part = chunk.multipart === false ? new OpenPart(chunk, parts) : null
      if (part !== null) leaves.push(part.leaf)
    } else if (chunk.type === 'body') part?.write(chunk.value)
  }
  await part?.close()
  if (root === null) return null
  const headers = root
  if (leaves.length === 0) return withoutParts(headers, path)
  return isSavedPage(headers) ? pageOf(leaves) : assemble(headers, leaves, parts)
}

/** Browsers save a page as MHTML (RFC 2557): its first part is the page, the others are what it loads. */
const isSavedPage = ({ headers, multipart }: MimeNode): boolean =>
  multipart === 'related' &&
  headers !== false &&
  (headers.get('Snapshot-Content-Location').length > 0 || headers.getFirst('From').startsWith('<Saved by'))

async function pageOf(leaves: readonly Leaf[]): Promise<Mail> {
  const page = leaves.find(({ chunks }) => chunks !== null)
  const body = (await textOf(page ?? null)).markdown
  return { headers: [], subject: '', body, attachments: [], notes: [] }
}

/** Headers of which a message has at least one. A page that was saved as mail has its own. */
const HEADERS = ['From', 'Sender', 'To', 'Date', 'Subject', 'Received', 'Message-ID', 'MIME-Version', 'Content-Type']

const isMessage = (root: MimeNode): boolean =>
  root.headers !== false && HEADERS.some((name) => root.headers !== false && root.headers.get(name).length > 0)

class OpenPart {
  readonly leaf: Leaf
  readonly #parts: PartsFile
  readonly #decoder: ReturnType<MimeNode['getDecoder']>

  constructor(node: MimeNode, parts: PartsFile) {
    const mediaType = node.contentType === false ? 'application/octet-stream' : node.contentType
    this.#parts = parts
    this.leaf = { node, mediaType, chunks: isBody(node, mediaType) ? [] : null, bytes: 0, offset: parts.length }
    this.#decoder = node.getDecoder()
    this.#decoder.on('data', (bytes: Buffer) => this.#take(bytes))
  }

  write(bytes: Buffer): void {
    this.#decoder.write(bytes)
  }

  async close(): Promise<void> {
    const ended = once(this.#decoder, 'end')
    this.#decoder.end()
    await ended
  }

  #take(bytes: Buffer): void {
    const { leaf } = this
    leaf.bytes += bytes.length
    if (leaf.chunks === null) return this.#parts.append(bytes)
    leaf.chunks.push(bytes)
    if (leaf.bytes <= BODY_BYTES) return
    leaf.offset = this.#parts.length
    for (const held of leaf.chunks) this.#parts.append(held)
    leaf.chunks = null
  }
}

function isBody(node: MimeNode, mediaType: string): boolean {
  return (
    (mediaType === 'text/plain' || mediaType === 'text/html') &&
    node.disposition !== 'attachment' &&
    (node.filename === false || node.root)
  )
}

/** A multipart message without a single boundary line: damaged, or cut off. Its bytes after the header are the text. */
async function withoutParts(root: MimeNode, path: string): Promise<Mail> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BODY_BYTES), 0, BODY_BYTES, 0)
  const text = decodeBody(buffer.subarray(0, bytesRead), null).replace(/^[^]*?\r?\n\r?\n/, '')
  const notes = ['The message is damaged: it names parts, but holds none. Its text is shown as it is.']
  return { ...headersOf(root), body: markdownOfText(text), attachments: [], notes }
}

async function assemble(root: MimeNode, leaves: readonly Leaf[], parts: PartsFile): Promise<Mail> {
  const texts = new Map<MimeNode, Text>()
  const shown = new Set<string>()
  const attachments: Attachment[] = []
  const notes: string[] = []
  let position = 0
  for (const leaf of leaves) {
    if (leaf.chunks !== null) {
      const text = await textOf(leaf)
      texts.set(leaf.node, text)
      for (const id of text.shown) shown.add(id)
    }
  }
  let fallback = ''
  for (const leaf of leaves) {
    if (leaf.chunks !== null) continue
    position += 1
    const name = partName(position, leaf.node.filename === false ? null : leaf.node.filename, leaf.mediaType)
    const tnef = isTnef(leaf, name) ? readTnef(parts.read(leaf)) : null
    if (tnef === null) {
      attachments.push({ name, offset: leaf.offset, bytes: leaf.bytes, skip: skipOf(leaf, shown) })
      if (isEncrypted(leaf)) notes.push(`The message is encrypted or signed with S/MIME; its content is in ${name}.`)
    } else {
      position -= 1
      for (const held of tnef.attachments) {
        position += 1
        attachments.push({ ...parts.add(held.bytes), name: partName(position, held.name, ''), skip: null })
      }
      fallback = await markdownOfBody(tnef)
    }
  }
  const body = bodyOf(root, leaves, texts)
  return { ...headersOf(root), body: withMarkedHistory(body === '' ? fallback : body), attachments, notes }
}

interface Text {
  readonly markdown: string
  readonly isHtml: boolean
  readonly shown: readonly string[]
}

async function textOf(leaf: Leaf | null): Promise<Text> {
  if (leaf === null || leaf.chunks === null) return { markdown: '', isHtml: false, shown: [] }
  const { charset } = leaf.node
  const text = decodeBody(Buffer.concat(leaf.chunks), charset === false ? null : charset)
  if (leaf.mediaType === 'text/html')
    return { markdown: await markdownOfHtml(text), isHtml: true, shown: shownIn(text) }
  return { markdown: markdownOfText(text), isHtml: false, shown: [] }
}

/**
 * Joins the text parts in their order. Of the alternatives of one multipart it takes the HTML, which keeps tables and
 * links, or the last that has text.
 */
function bodyOf(root: MimeNode, leaves: readonly Leaf[], texts: ReadonlyMap<MimeNode, Text>): string {
  const children = new Map<MimeNode, MimeNode[]>()
  for (const { node } of leaves) register(node, children)
  const join = (node: MimeNode): Text => {
    const own = texts.get(node)
    if (own !== undefined) return own
    const found = (children.get(node) ?? []).map(join).filter(({ markdown }) => markdown !== '')
    const chosen = node.multipart === 'alternative' ? found.filter((text) => text === preferred(found)) : found
    return {
      markdown: chosen.map(({ markdown }) => markdown).join('\n\n'),
      isHtml: chosen.some(({ isHtml }) => isHtml),
      shown: [],
    }
  }
  return join(root).markdown
}

const preferred = (texts: readonly Text[]): Text | undefined => texts.findLast(({ isHtml }) => isHtml) ?? texts.at(-1)

function register(node: MimeNode, children: Map<MimeNode, MimeNode[]>): void {
  for (let child = node, parent = node.parentNode; parent !== false; child = parent, parent = parent.parentNode) {
    const known = children.get(parent) ?? []
    if (known.includes(child)) return
    children.set(parent, [...known, child])
    if (parent.parentNode === false) return
  }
}

function skipOf(leaf: Leaf, shown: ReadonlySet<string>) {
  const first = (name: string): string => (leaf.node.headers === false ? '' : leaf.node.headers.getFirst(name))
  const ids = [first('Content-ID').replace(/^<|>$/g, ''), first('Content-Location')].filter((id) => id !== '')
  return skipOfPart({ mediaType: leaf.mediaType, ids, bytes: leaf.bytes }, shown)
}

const isTnef = ({ mediaType, bytes }: Leaf, name: string): boolean =>
  bytes <= TNEF_BYTES && (/^application\/(?:vnd\.)?ms-tnef$/.test(mediaType) || /^\d+-winmail\.dat$/i.test(name))

const isEncrypted = ({ mediaType, node }: Leaf): boolean =>
  /^application\/(?:x-)?pkcs7-mime$/.test(mediaType) ||
  (node.parentNode !== false && node.parentNode.multipart === 'encrypted' && mediaType === 'application/octet-stream')

const ADDRESSES = ['From', 'Reply-To', 'To', 'Cc', 'Bcc']

function headersOf(root: MimeNode): { readonly headers: readonly MailHeader[]; readonly subject: string } {
  const values = (name: string): string[] =>
    root.headers === false ? [] : root.headers.get(name).map((line) => line.slice(line.indexOf(':') + 1).trim())
  const addresses = ADDRESSES.map((name) => ({
    name,
    value: addressParser(values(name).join(', ')).map(called).join(', '),
  }))
  const date = values('Date')[0] ?? ''
  const subject = decodeWords(values('Subject')[0] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  const others = [
    { name: 'Date', value: isoDate(date) },
    { name: 'Subject', value: subject },
  ]
  return { headers: [...addresses, ...others].filter(({ value }) => value !== ''), subject }
}

function called(address: Address): string {
  if ('group' in address && address.group !== undefined) return address.group.map(called).join(', ')
  const { name, address: at } = address
  if (at === undefined || at === '') return name
  return name === '' || name === at ? at : `${name} <${at}>`
}

/** Date and time with the sender's offset; the text itself where no program reads it. */
export function isoDate(text: string): string {
  const at = Date.parse(text.replace(/\s*\([^)]*\)\s*$/, ''))
  if (Number.isNaN(at)) return text
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):?(\d\d)\s*(?:\(|$)/.exec(text) ?? []
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const local = new Date(at + offset * 60_000).toISOString().slice(0, 19)
  return offset === 0 ? `${local}Z` : `${local}${sign}${hours}:${minutes}`
}
