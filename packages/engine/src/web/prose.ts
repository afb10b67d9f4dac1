import type { Element, Nodes } from 'hast'

/** Threshold in characters. A shorter run of text is a label. */
const MIN_RUN_CHARACTERS = 60

const INLINE_TAGS = new Set(
  'a abbr b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

/** Running text between two block edges, and its block. */
export interface ProseRun {
  readonly block: Element | null
  /** White space is collapsed. */
  readonly text: string
}

/**
 * Returns the running text of a tree: long runs that are less than half links. It separates an article from a page of
 * labels and links, for any elements.
 */
export function proseRunsOf(tree: Nodes): ProseRun[] {
  const runs: ProseRun[] = []
  let pieces: string[] = []
  let linked = 0
  const endRun = (block: Element | null): void => {
    const text = collapse(pieces.join(''))
    if (text.length >= MIN_RUN_CHARACTERS && linked * 2 < text.length) runs.push({ block, text })
    pieces = []
    linked = 0
  }
  const walk = (node: Nodes, block: Element | null, isLink: boolean): void => {
    if (node.type === 'text') {
      pieces.push(node.value)
      if (isLink) linked += collapse(node.value).length
    }
    if (!('children' in node)) return
    const isBlock = node.type !== 'element' || !INLINE_TAGS.has(node.tagName)
    const own = isBlock && node.type === 'element' ? node : block
    if (isBlock) endRun(block)
    for (const child of node.children) walk(child, own, isLink || (node.type === 'element' && node.tagName === 'a'))
    if (isBlock) endRun(own)
  }
  walk(tree, null, false)
  return runs
}

export function proseLengthOf(tree: Nodes): number {
  return proseRunsOf(tree).reduce((length, run) => length + run.text.length, 0)
}

/** Returns a filter for the runs in a text. */
export function isIn(text: string): (run: ProseRun) => boolean {
  const whole = collapse(text)
  return (run) => whole.includes(run.text.slice(0, MIN_RUN_CHARACTERS))
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
