/** Boxes as forms have them, empty, ticked and crossed, before what they stand for. */
const BOX = /^([☐☑☒🗹🗷])\s*(?=\S)/u
const ANY_BOX = /[☐☑☒🗹🗷]/gu

/**
 * A paragraph that one box begins, as a task of GFM without its bullet; null for any other. Of several boxes in a line each stands
 * for a part of it: they stay characters.
 */
export function taskOf(markdown: string): string | null {
  const box = BOX.exec(markdown)
  if (box === null || (markdown.match(ANY_BOX)?.length ?? 0) > 1) return null
  return `[${box[1] === '☐' ? ' ' : 'x'}] ${markdown.slice(box[0].length)}`
}
