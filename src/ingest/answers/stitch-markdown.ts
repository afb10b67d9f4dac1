/** The Markdown of consecutive pages, parsed by themselves. */
export interface MarkdownPart {
  readonly markdown: string
  readonly firstPage: number
  readonly lastPage: number
}

export interface StitchedMarkdown {
  readonly markdown: string
  /** For each part: from an offset in its Markdown to the offset of the same character in the whole, both in UTF-16 units. */
  readonly toWhole: readonly ((offset: number) => number)[]
}

/** Contract, `pageMarkers`: what announces the page that follows. Only its number is ours to change. */
const PAGE_MARKER = /(?<=\n\n---\n\n<!-- page )(\d+)(?= -->\n\n)/g

const pageMarker = (page: number): string => `\n\n---\n\n<!-- page ${page} -->\n\n`

/**
 * Puts the Markdown of parts together as that of one document: a blank line between parts, or the marker of the page
 * that follows. Markers within parts get the number that the page has in the whole; all other text stays as it is.
 */
export function stitchMarkdown(
  parts: readonly MarkdownPart[],
  { pageMarkers }: { readonly pageMarkers: boolean },
): StitchedMarkdown {
  let markdown = ''
  const toWhole = parts.map((part, index) => {
    const { text, shift } = pageMarkers ? renumbered(part) : { text: part.markdown, shift: () => 0 }
    if (index > 0 && pageMarkers) markdown += pageMarker(part.firstPage)
    else if (markdown !== '' && text !== '') markdown += toBlankLine(markdown)
    const start = markdown.length
    markdown += text
    return (offset: number) => start + offset + shift(offset)
  })
  return { markdown, toWhole }
}

/** What is missing to a blank line after this text. */
const toBlankLine = (text: string): string => '\n'.repeat(Math.max(0, 2 - (/\n*$/.exec(text)?.[0].length ?? 0)))

/** A text of the document itself may look like a marker; one that is counts upwards, and not beyond the part. */
function renumbered({ markdown, firstPage, lastPage }: MarkdownPart): {
  readonly text: string
  readonly shift: (offset: number) => number
} {
  const shifts: { readonly from: number; readonly by: number }[] = []
  let last = 1
  let by = 0
  const text = markdown.replace(PAGE_MARKER, (digits, _, at: number) => {
    const page = Number(digits)
    if (page <= last || page > lastPage - firstPage + 1) return digits
    last = page
    const ours = String(page + firstPage - 1)
    by += ours.length - digits.length
    shifts.push({ from: at + digits.length, by })
    return ours
  })
  return { text, shift: (offset) => shifts.findLast(({ from }) => from <= offset)?.by ?? 0 }
}
