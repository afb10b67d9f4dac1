import { createHash } from 'node:crypto'
import { TextDecoder } from 'node:util'
import { Parser } from 'htmlparser2'
import { charsetIn } from '../utf8-text.ts'
import { webUrl } from '../web-url.ts'

/** Parts of an HTML page that a walk needs. */
export interface PageContent {
  readonly title: string | null
  readonly description: string | null
  /** Absolute addresses in page order, as written, without duplicates. */
  readonly links: readonly string[]
  /** Address in `<link rel="canonical">`, absolute. */
  readonly canonical: string | null
  /** Target of `<meta http-equiv="refresh">` within a few seconds, absolute. */
  readonly refresh: string | null
  /** The page asks to be left out of an index. */
  readonly isNoIndex: boolean
  /** The page has a field for a password. */
  readonly asksPassword: boolean
  /**
   * Digest of the page's text, link targets and pictures. Scripts, styles, form tokens and new asset builds do not
   * change it.
   */
  readonly fingerprint: string
  /** Fingerprint of the bytes as UTF-8 in a page that states another charset itself: 0.2.0 read it so. */
  readonly formerFingerprint?: string
  /**
   * Digest that pages of equal content share: of the fingerprint, and of pictures and frames with their queries. Null
   * for a page without text, one with little text and a script that may add some, and one in an unknown charset.
   */
  readonly identity: string | null
}

/** Value of the robots directive of a page, in its head or its header. */
export const NO_INDEX = /\b(?:noindex|none)\b/i

/** A page that moves its reader on within ten seconds is a redirect; a longer time reloads news. */
const REFRESH = /^\s*\d(?:\.\d*)?\s*[;,]\s*url\s*=\s*["']?([^"']+?)["']?\s*$/i

/** A page with a script and fewer characters outside of links may be the same shell at each address. */
const MIN_TEXT_CHARACTERS = 200

/** Elements that show the content of another address. */
const FRAMES: ReadonlySet<string> = new Set(['iframe', 'frame', 'embed', 'object', 'video', 'audio', 'source'])

/** Types of scripts that hold data. */
const DATA = /\bjson\b/i

/** Elements whose text does not belong to the page. */
const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg'])

/** Streaming parser of a page; holds its text, not its tree. */
class PageReader {
  readonly #parser: Parser
  readonly #text: string[] = []
  readonly #links = new Set<string>()
  #base: URL
  #title = ''
  #description: string | null = null
  #canonical: string | null = null
  #refresh: string | null = null
  #isNoIndex = false
  #asksPassword = false
  #unread = 0
  #inLink = false
  #hasScript = false
  #textCharacters = 0
  /** Addresses of pictures and frames, with their queries. */
  readonly #shown: string[] = []
  #inTitle = false
  #followsLinks = true

  constructor(url: URL) {
    this.#base = url
    this.#parser = new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes),
      ontext: (text) => this.#say(text),
      onclosetag: (name) => this.#close(name),
    })
  }

  write(text: string): void {
    this.#parser.write(text)
  }

  end(): PageContent {
    this.#parser.end()
    const title = this.#title.replace(/\s+/g, ' ').trim()
    const read = [title, this.#description ?? '', this.#text.join('').replace(/\s+/g, ' ').trim()]
    const isShell = this.#textCharacters < (this.#hasScript ? MIN_TEXT_CHARACTERS : 1)
    const isUnreadable = read.some((part) => part.includes('\ufffd'))
    return {
      title: title === '' ? null : title,
      description: this.#description,
      links: this.#followsLinks ? [...this.#links] : [],
      canonical: this.#canonical,
      refresh: this.#refresh,
      isNoIndex: this.#isNoIndex,
      asksPassword: this.#asksPassword,
      fingerprint: digestOf(read),
      identity: isShell || isUnreadable ? null : digestOf([...read, ...this.#shown]),
    }
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { href, src } = attributes
    if (name === 'a') this.#inLink = true
    if (name === 'script' && !DATA.test(attributes['type'] ?? '')) this.#hasScript = true
    if (this.#unread === 0 && (name === 'img' || FRAMES.has(name))) this.#shown.push(src ?? attributes['data'] ?? '')
    if (UNREAD.has(name)) this.#unread += 1
    else if (name === 'title') this.#inTitle = this.#title === ''
    else if (name === 'base' && href !== undefined) this.#base = webUrl(href, this.#base) ?? this.#base
    else if (name === 'meta') this.#meta(attributes)
    else if (name === 'link' && /\bcanonical\b/i.test(attributes['rel'] ?? '')) {
      this.#canonical = (href === undefined ? null : webUrl(href, this.#base)?.href) ?? null
    } else if ((name === 'a' || name === 'area') && href !== undefined) {
      this.#link(href, /\bnofollow\b/i.test(attributes['rel'] ?? ''))
    } else if (name === 'input' && /^password$/i.test(attributes['type'] ?? '')) this.#asksPassword = true
    else if (name === 'img' && src !== undefined) this.#text.push(` ${src.replace(/[?#].*$/s, '').slice(0, 500)} `)
    else if (name === 'br' || !INLINE.has(name)) this.#text.push(' ')
  }

  #close(name: string): void {
    if (name === 'a') this.#inLink = false
    if (UNREAD.has(name)) this.#unread -= 1
    else if (name === 'title') this.#inTitle = false
    else if (!INLINE.has(name)) this.#text.push(' ')
  }

  #say(text: string): void {
    if (this.#unread > 0) return
    if (this.#inTitle) this.#title += text
    else {
      this.#text.push(text)
      if (!this.#inLink) this.#textCharacters += text.replace(/\s+/g, '').length
    }
  }

  #meta({ name = '', content = '', 'http-equiv': directive = '' }: Readonly<Record<string, string>>): void {
    if (/^description$/i.test(name) && content.trim() !== '') this.#description ??= content.trim()
    if (/^robots$/i.test(name) && /\b(?:nofollow|none)\b/i.test(content)) this.#followsLinks = false
    if (/^robots$/i.test(name) && NO_INDEX.test(content)) this.#isNoIndex = true
    const refresh = /^refresh$/i.test(directive) ? REFRESH.exec(content)?.[1] : undefined
    if (refresh !== undefined) this.#refresh = webUrl(refresh, this.#base)?.href ?? null
  }

  #link(href: string, isNoFollow: boolean): void {
    const url = webUrl(href.trim(), this.#base)
    if (url === null) return
    if (!isNoFollow) this.#links.add(url.href)
    this.#text.push(` ${url.origin}${url.pathname} `)
  }
}

/** A page states its charset within these bytes. */
const HEAD_BYTES = 1024

/** Reads a page to its end. A charset in its content type wins: the bytes are in UTF-8 then. */
export async function readPage(
  url: URL,
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<{ readonly content: PageContent; readonly bytes: number }> {
  const isDecoded = /charset\s*=/i.test(contentType)
  const asUtf8 = new DecodedPage(url, 'utf-8')
  const pages = [asUtf8]
  const begin = (head: Buffer): void => {
    const charset = isDecoded ? null : charsetIn(head.subarray(0, HEAD_BYTES))
    if (charset !== null) pages.push(new DecodedPage(url, charset))
    for (const page of pages) page.write(head)
  }
  let head: Buffer | null = Buffer.alloc(0)
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (head === null) {
      for (const page of pages) page.write(chunk)
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < HEAD_BYTES) continue
    begin(head)
    head = null
  }
  if (head !== null) begin(head)
  const content = asUtf8.end()
  const own = pages[1]?.end()
  return { content: own === undefined ? content : { ...own, formerFingerprint: content.fingerprint }, bytes }
}

class DecodedPage {
  readonly #reader: PageReader
  readonly #decoder: TextDecoder

  constructor(url: URL, charset: string) {
    this.#reader = new PageReader(url)
    this.#decoder = new TextDecoder(charset)
  }

  write(chunk: Uint8Array): void {
    this.#reader.write(this.#decoder.decode(chunk, { stream: true }))
  }

  end(): PageContent {
    return this.#reader.end()
  }
}

const digestOf = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 20)

/** Inline elements: their tags do not end a word. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var wbr'.split(' '),
)
