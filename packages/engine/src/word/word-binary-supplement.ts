import { CFB } from '@e965/xlsx'
import { oleContainer } from '../container/ole-container.ts'
import { reviewComment } from '../markup/html-comment.ts'
import { counted } from '../markup/left-out.ts'
import { isOle } from '../container/locked-office.ts'
import { Placeholders } from '../ooxml/placeholders.ts'
import type { Supplement } from '../ooxml/supplement.ts'
import { PAGE_NUMBER, plainParagraphs } from '../markup/plain-paragraphs.ts'
import { OleStreams } from '../container/ole-streams.ts'
import { markTitleStyle } from './word-binary-marks.ts'
import { blankDeletedText, tableStream, wordStories } from './word-binary-text.ts'

const WORD_FILE = 0xa5ec
/** A field that prints a page number or a page count. It is removed with its result; other fields keep their result. */
const PAGE_FIELD = /\u0013\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b[^\u0013\u0015]*\u0015/g
const FIELD_CODE = /\u0013[^\u0013-\u0015]*[\u0014\u0015]/g

/**
 * Collects headers, footers and comments of a Word file of 97 to 2003, which the library omits. Blanks deleted text,
 * which the library shows. Marks its title as a heading, as in all other formats. Counts formulas. Null for any other
 * file.
 */
export function wordBinarySupplement(bytes: Buffer, onlyMainContent: boolean): Supplement | null {
  if (!isOle(bytes)) return null
  try {
    const file = oleContainer(bytes)
    const stream = (name: string): Buffer => Buffer.from(CFB.find(file, name)?.content ?? [])
    const document = stream('WordDocument')
    if (document.length < 2 || document.readUInt16LE(0) !== WORD_FILE) return null
    const name = tableStream(document)
    const table = stream(name)
    const changed = [
      ...(blankDeletedText(document, table) ? [['WordDocument', document] as const] : []),
      ...(markTitleStyle(document, table) ? [[name, table] as const] : []),
    ]
    const stories = wordStories(document, table)
    const paragraphs = (texts: readonly string[]): string[] => plainParagraphs(texts.map(textOf))
    return {
      bytes: changed.length === 0 ? bytes : withStreams(bytes, changed),
      placeholders: new Placeholders(),
      after: paragraphs(stories.comments).map((text) =>
        onlyMainContent ? reviewComment('', text) : `Comment: ${text}`,
      ),
      headers: paragraphs(stories.headers),
      footers: paragraphs(stories.footers),
      leftOut: counted(file.FullPaths.filter((path: string) => path.endsWith('/Equation Native')).length, 'formula'),
    }
  } catch {
    // The file is damaged. The library reports the damage.
    return null
  }
}

function withStreams(bytes: Buffer, changed: readonly (readonly [string, Buffer])[]): Buffer {
  const streams = new OleStreams(bytes)
  for (const [name, content] of changed) streams.overwrite(name, content)
  return streams.bytes
}

function textOf(story: string): string {
  return (
    story
      .replace(PAGE_FIELD, PAGE_NUMBER)
      .replace(FIELD_CODE, '')
      .replace(/[\r\u000b]/g, '\n')
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0001-\u0009\u000c-\u001f]/g, ' ')
  )
}
