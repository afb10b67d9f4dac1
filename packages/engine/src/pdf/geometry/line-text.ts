import { union } from './box.ts'
import { bare } from './document-style.ts'
import { RIGHT_TO_LEFT } from './right-to-left.ts'
import type { Word } from './words.ts'

/** Sorts the words of a line from box order into reading order. */
export function inReadingOrder(words: readonly Word[]): Word[] {
  const mirrored = words[0]?.mirrored === true
  const turned = words.filter((word) => RIGHT_TO_LEFT.test(word.text)).length
  if (turned === 0 || (!mirrored && turned * 2 < words.length)) return mirrored ? words.toReversed() : [...words]
  const fromRight = mirrored ? words : words.toReversed()
  const out: Word[] = []
  let run: Word[] = []
  for (const given of fromRight) {
    const word = { ...given, text: given.text.replace(NUMBER_BEHIND_MARKS, '$2$1') }
    // Numbers and Latin names keep their direction in a right-to-left line.
    if (/^[\p{Script=Latin}\d]/u.test(word.text)) {
      run.unshift(word)
    } else {
      out.push(...run, word)
      run = []
    }
  }
  return withBrackets([...out, ...run])
}

/** A number with leading marks. The library puts the mark at the end of a clause first, in page order. */
const NUMBER_BEHIND_MARKS = /^([.,:;!?،؛؟]+)(\p{Nd}\S*)$/u

/** Attaches a separate bracket to the word after it (opening) or before it (closing). */
function withBrackets(words: readonly Word[]): Word[] {
  const out: Word[] = []
  for (const word of words) {
    const last = out.at(-1)
    const joins = last !== undefined && (/^[([{]+$/.test(last.text) || /^[)\]}]$/.test(word.text))
    if (joins) out.splice(-1, 1, { ...word, ...union([last, word]), text: last.text + word.text })
    else out.push(word)
  }
  return out
}

/** Matches a line end with a hyphenated word. Compounds keep their hyphen. */
const CUT_WORD = /^(.*?)(\p{L}{2,})[-\u2010\u0002]$/u
const COMPOUND_STARTS = new Set(
  'self non well high low long short multi cross ex anti pre post co semi all half mid on in off one two three four five six seven eight nine ten part full first second third real time cost large small so end non'.split(
    ' ',
  ),
)

/** Joins the lines of a paragraph with spaces, and removes hyphenation. */
export function joinedText(lines: readonly string[], vocabulary: ReadonlySet<string>): string {
  return lines.reduce((text, line) => {
    if (text === '') return line
    const [next = ''] = line.split(' ', 1)
    const cut = CUT_WORD.exec(text)
    if (cut === null || !/^\p{Ll}/u.test(next))
      return isWrittenWithoutSpace(text, line) ? text + line : `${text} ${line}`
    const head = (cut[2] ?? '').toLowerCase()
    return keepsHyphen(head, bare(next), vocabulary) ? text + line : text.slice(0, -1) + line
  }, '')
}

/** True if a hyphen at a line end belongs to the word. */
export function keepsHyphen(head: string, tail: string, vocabulary: ReadonlySet<string>): boolean {
  if (vocabulary.has(head + tail)) return false
  return vocabulary.has(`${head}-${tail}`) || COMPOUND_STARTS.has(head)
}

/** True if lines join without a space, as in Chinese and Japanese. */
export function isWrittenWithoutSpace(text: string, line: string): boolean {
  const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，]/u
  return han.test(text.at(-1) ?? '') && han.test(line.at(0) ?? '')
}

/** Returns the plain text of a line. */
export function lineText(line: readonly Word[]): string {
  return line.map((word) => word.text).join(' ')
}
