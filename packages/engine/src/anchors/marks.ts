import type { Anchor } from '@sluice/contract'

/** From here on the Markdown of a document belongs to this place, up to the next mark. In order. */
export interface Mark {
  /** Offset into the Markdown, in UTF-16 units. */
  readonly at: number
  readonly anchor: Anchor
}

/** Noncharacters of Unicode, as in `Placeholders`: XML allows them, no document uses them. */
const [OPEN, CLOSE] = ['\ufdd2', '\ufdd3']
const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g')
const ALL = /\ufdd2\d*\ufdd3?\n*/g

/** Text that marks where a slide or a chapter begins, while a document is put together. */
export const markText = (number: number): string => `${OPEN}${number}${CLOSE}`

export const withoutMarks = (text: string): string => text.replace(MARK, '')

/** The Markdown without the marks in it, each a block of its own, and where they stood. */
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
  // A last mark has blank lines before it alone.
  const whole = markdown.replace(/\n+$/, '')
  return { markdown: whole, marks: marks.map(({ at, anchor }) => ({ at: Math.min(at, whole.length), anchor })) }
}

/** The marks moved before the heading right above them: where the title of a slide is written before all else of it. */
export function beforeTitles(markdown: string, marks: readonly Mark[]): readonly Mark[] {
  return marks.map((mark, index) => {
    const above = markdown.lastIndexOf('\n\n', mark.at - 3)
    const start = above === -1 ? 0 : above + 2
    const isTitle = start < mark.at && /^#{1,6} [^\n]*\n*$/.test(markdown.slice(start, mark.at))
    return isTitle && start >= (marks[index - 1]?.at ?? 0) ? { ...mark, at: start } : mark
  })
}
