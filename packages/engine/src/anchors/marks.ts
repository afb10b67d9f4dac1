import type { Anchor } from '@sluice/contract'

/** Start of an anchor's text, up to the next mark. Marks are in document order. */
export interface Mark {
  /** Offset into the Markdown, in UTF-16 units. */
  readonly at: number
  readonly anchor: Anchor
}

/** Noncharacters of Unicode, as in `Placeholders`. XML allows them, and no document uses them. */
const [OPEN, CLOSE] = ['\ufdd2', '\ufdd3']
const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g')
const ALL = /\ufdd2\d*\ufdd3?\n*/g

/** Sentinel text at the start of a slide or a chapter while the converter assembles a document. */
export const markText = (number: number): string => `${OPEN}${number}${CLOSE}`

export const withoutMarks = (text: string): string => text.replace(MARK, '')

/** Removes the marks from the Markdown, each a separate block, and returns their offsets. */
export function liftMarks(
  marked: string,
  anchorFor: (number: number) => Anchor,
): { readonly markdown: string; readonly marks: readonly Mark[] } {
  const marks: Mark[] = []
  let markdown = ''
  let from = 0
  for (const { index, 0: text } of marked.matchAll(ALL)) {
    markdown += marked.slice(from, index)
    from = index + text.length
    const number = [...text.matchAll(MARK)][0]?.[1]
    if (number !== undefined) marks.push({ at: markdown.length, anchor: anchorFor(Number(number)) })
  }
  const rest = marked.slice(from)
  if (rest !== '' || marks.length === 0) return { markdown: markdown + rest, marks }
  // A mark at the end has only blank lines before it.
  const whole = markdown.replace(/\n+$/, '')
  return { markdown: whole, marks: marks.map(({ at, anchor }) => ({ at: Math.min(at, whole.length), anchor })) }
}

/** Moves each mark before the heading directly above it, because the title of a slide precedes its other text. */
export function beforeTitles(markdown: string, marks: readonly Mark[]): readonly Mark[] {
  return marks.map((mark, index) => {
    const above = markdown.lastIndexOf('\n\n', mark.at - 3)
    const start = above === -1 ? 0 : above + 2
    const isTitle = start < mark.at && /^#{1,6} [^\n]*\n*$/.test(markdown.slice(start, mark.at))
    return isTitle && start >= (marks[index - 1]?.at ?? 0) ? { ...mark, at: start } : mark
  })
}
