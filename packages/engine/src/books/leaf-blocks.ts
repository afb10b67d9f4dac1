/** Tags with quoted attributes, and content to skip because it may contain false tags. */
const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([A-Za-z_][\w:.-]*)(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>/g

/** Elements that start a new line in a browser. */
const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** Blocks of these names are paragraphs if they contain no other block. */
const LEAVES: ReadonlySet<string> = new Set(['div', 'dt', 'dd', 'address', 'figcaption', 'summary'])
/** Elements that may contain a paragraph. List items and table cells remain unchanged. */
const FLOW: ReadonlySet<string> = new Set(
  'body section article main aside div blockquote dl dd details figure header footer nav fieldset form'.split(' '),
)

interface OpenElement {
  readonly parent: OpenElement | undefined
  /** Offset of its name. */
  readonly at: number
  /** The block that contains its content: itself, or its container. */
  readonly block: string
  /** True if a paragraph may replace it. */
  readonly isLeaf: boolean
  /** Start offset of its content. */
  readonly from: number
  holdsBlock: boolean
}

/**
 * Turns lines in only `<div>`, `<dt>` and the like into paragraphs. Null if the chapter has none. The office library
 * joins such lines, so that a poem, or a book without `<p>`, becomes one paragraph. Requires well-formed XML.
 */
export function withLeafParagraphs(chapter: string): string | null {
  const renamed = [...leavesOf(chapter)].toSorted((a, b) => a.at - b.at)
  if (renamed.length === 0) return null
  let [out, end] = ['', 0]
  for (const { at, length } of renamed) {
    out += `${chapter.slice(end, at)}p`
    end = at + length
  }
  return out + chapter.slice(end)
}

/** Yields the offsets of names to replace, of start and end tags. */
function* leavesOf(chapter: string): Generator<{ readonly at: number; readonly length: number }> {
  const open: OpenElement[] = []
  for (const { 0: whole, 1: end, 2: name = '', 3: empty, index } of chapter.matchAll(TOKEN)) {
    if (name === '') continue
    if (end === '/') {
      const closed = open.pop()
      if (closed === undefined || !isParagraph(closed, chapter, index)) continue
      yield { at: closed.at, length: name.length }
      yield { at: index + 2, length: name.length }
      continue
    }
    const isBlock = BLOCKS.has(name)
    // The loop stops at a container with the flag, because its containers have it too.
    for (let element = isBlock ? open.at(-1) : undefined; element?.holdsBlock === false; element = element.parent) {
      element.holdsBlock = true
    }
    if (empty === '/') continue
    const parent = open.at(-1)
    const around = parent?.block ?? ''
    open.push({
      parent,
      at: index + 1,
      block: isBlock || name === 'body' ? name : around,
      isLeaf: LEAVES.has(name) && FLOW.has(around),
      from: index + whole.length,
      holdsBlock: false,
    })
  }
}

function isParagraph({ isLeaf, holdsBlock, from }: OpenElement, chapter: string, end: number): boolean {
  return (
    isLeaf &&
    !holdsBlock &&
    chapter
      .slice(from, end)
      .replaceAll(/<[^<>]*>/g, '')
      .trim() !== ''
  )
}
