import { posix } from 'node:path'
import { Parser } from 'htmlparser2'
import { type OoxmlPackage, xmlText } from '../ooxml/ooxml-package.ts'
import { rewriteXml } from '../ooxml/rewrite-xml.ts'
import { descendants, type XmlElement } from '../ooxml/xml-tree.ts'
import { counted } from '../markup/left-out.ts'

const ITEMREF = ['itemref', 'opf:itemref'] as const

const EMPTY: XmlElement = { name: '', attributes: {}, children: [] }

/** Files of an e-book by path (EPUB 3.3, 5.6 and 5.7). */
export interface BookFiles {
  /** In reading order, without duplicates. */
  readonly chapters: readonly string[]
  /** Number of duplicate references. A list may name one file a hundred thousand times. */
  readonly repeats: number
  /** Returns the list without duplicates. */
  list(): { readonly part: string; readonly text: string | null }
  /** The table of contents that reading systems show. */
  readonly navigation: string | null
}

export function bookFiles(book: OoxmlPackage): BookFiles {
  const [list = ''] = book.parts(/\.opf$/i)
  const root = book.xml(list) ?? EMPTY
  const pathOf = (item: XmlElement | undefined): string | null => {
    const href = item?.attributes['href']
    return href === undefined ? null : posix.join(posix.dirname(list), decodedPath(href))
  }
  const items = [...descendants(root, 'item', 'opf:item')]
  const byId = new Map(items.map((item) => [item.attributes['id'], item]))
  const chapterOf = ({ attributes }: XmlElement): string | null => pathOf(byId.get(attributes['idref']))
  const named = [...descendants(root, ...ITEMREF)].flatMap((itemref) => chapterOf(itemref) ?? [])
  const chapters = new Set(named)
  const unnamed = new Set(chapters)
  const onlyFirst = (itemref: XmlElement): (() => string) | null => {
    const chapter = chapterOf(itemref)
    return chapter === null || unnamed.delete(chapter) ? null : () => ''
  }
  return {
    chapters: [...chapters],
    repeats: named.length - chapters.size,
    list: () => ({
      part: list,
      text: rewriteXml(xmlText(book.bytesOf(list) ?? Buffer.alloc(0)), new Set(ITEMREF), onlyFirst),
    }),
    navigation: pathOf(items.find(({ attributes }) => attributes['properties']?.split(/\s+/).includes('nav'))),
  }
}

/** Returns the path unchanged if it is not encoded. */
function decodedPath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Number of words to search for. A chapter with none of them in the Markdown is unread. */
const WORDS = 50

/** Names the chapters of an e-book that are absent or yield no text: drawings, and formats other than HTML. */
export function unreadChapters(book: OoxmlPackage, markdown: string): readonly string[] {
  const { chapters, navigation } = bookFiles(book)
  const unread = chapters.filter((path) => path !== navigation && !isInMarkdown(book.bytesOf(path), markdown))
  return counted(unread.length, 'chapter').map((some) => `${some} that could not be read`)
}

function isInMarkdown(chapter: Buffer | null, markdown: string): boolean {
  if (chapter === null) return false
  const words = (shownText(xmlText(chapter)).match(/[\p{L}\p{N}]{2,}/gu) ?? []).slice(0, WORDS)
  return words.length === 0 || words.some((word) => markdown.includes(word))
}

const INVISIBLE: ReadonlySet<string> = new Set(['title', 'style', 'script', 'head', 'metadata', 'math'])

function shownText(chapter: string): string {
  const texts: string[] = []
  let unseen = 0
  const parser = new Parser(
    {
      onopentag: (name) => (unseen += INVISIBLE.has(name) ? 1 : 0),
      ontext: (text) => (unseen === 0 ? texts.push(text) : 0),
      onclosetag: (name) => (unseen -= INVISIBLE.has(name) ? 1 : 0),
    },
    { decodeEntities: true, recognizeSelfClosing: true },
  )
  parser.end(chapter)
  return texts.join(' ')
}
