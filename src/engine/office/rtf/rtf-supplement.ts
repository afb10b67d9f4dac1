import { reviewComment } from '../html-comment.ts'
import { Placeholders } from '../ooxml/placeholders.ts'
import type { Supplement } from '../ooxml/supplement.ts'
import { withFormulaTokens } from './rtf-formulas.ts'
import { withoutDeletedText } from './without-deleted-text.ts'
import { PAGE_NUMBER, plainParagraphs } from '../plain-paragraphs.ts'

const HEADERS = /\{\\header[lrf]?(?![a-z])/g
const FOOTERS = /\{\\footer[lrf]?(?![a-z])/g
const COMMENTS = /\{\\\*\\annotation(?![a-z])/g
/** Longest header, footer or comment that is read. */
const MAX_GROUP = 100_000
/** Destinations whose content is no text of the paragraph. */
const HIDDEN = /^\{\\(?:\*\\(?!shpinst|shptxt)|fldinst|pict|fonttbl|colortbl|stylesheet)/

/**
 * Headers, footers, comments and formulas of an RTF document, which the library leaves out (RTF 1.9.1), and the document without
 * deleted text, which it shows.
 */
export function rtfSupplement(bytes: Buffer, onlyMainContent: boolean): Supplement {
  const placeholders = new Placeholders()
  const original = bytes.toString('latin1')
  const visible = withoutDeletedText(original)
  const rtf = withFormulaTokens(visible, placeholders)
  const paragraphs = (start: RegExp): string[] =>
    plainParagraphs([...visible.matchAll(start)].map(({ index }) => plain(groupAt(visible, index))))
  return {
    bytes: rtf === original ? bytes : Buffer.from(rtf, 'latin1'),
    placeholders,
    after: paragraphs(COMMENTS).map((text) => (onlyMainContent ? reviewComment('', text) : `Comment: ${text}`)),
    headers: paragraphs(HEADERS),
    footers: paragraphs(FOOTERS),
    leftOut: [],
  }
}

/** The text from a brace to the one that closes it. */
function groupAt(rtf: string, start: number): string {
  let depth = 0
  const end = Math.min(rtf.length, start + MAX_GROUP)
  for (let at = start; at < end; at += 1) {
    const character = rtf[at]
    if (character === '\\') at += 1
    else if (character === '{') depth += 1
    else if (character === '}' && (depth -= 1) === 0) return rtf.slice(start, at + 1)
  }
  return rtf.slice(start, end)
}

const CONTROL = /\\(?:'([0-9a-f]{2})|u(-?\d+) ?\??|([a-z]+)(-?\d+)? ?|([^a-z]))|([{}])|([^\\{}]+)/gi
const CP1252 = new TextDecoder('windows-1252')

/** Text of a group, a line for each paragraph. */
function plain(group: string): string {
  let hidden = 0
  let depth = 0
  let text = ''
  for (const match of group.matchAll(CONTROL)) {
    const [, hex, unicode, word, , symbol, brace, characters] = match
    if (brace === '{') {
      depth += 1
      if (depth > 1 && hidden === 0 && HIDDEN.test(group.slice(match.index, match.index + 24))) hidden = depth
    } else if (brace === '}') {
      if (hidden === depth) hidden = 0
      depth -= 1
    } else if (hidden === 0) {
      if (hex !== undefined) text += CP1252.decode(Buffer.from(hex, 'hex'))
      else if (unicode !== undefined) text += String.fromCharCode((Number(unicode) + 0x1_0000) % 0x1_0000)
      else if (word === 'par' || word === 'line') text += '\n'
      else if (word === 'chpgn') text += PAGE_NUMBER
      else if (word === 'tab' || symbol === '~') text += ' '
      else if (symbol !== undefined && '{}\\'.includes(symbol)) text += symbol
      else if (characters !== undefined) text += characters.replace(/[\r\n]+/g, '')
    }
  }
  return text
}
