import type { Element, ElementContent, Root, RootContent, Text } from 'hast'
import { isCited, type Span } from './citation.ts'

/** Id of the first mark: the address of the frame ends with it, so that the browser scrolls to it without a script. */
export const CITED_ID = 'cited'

type Parent = Root | Element

interface Marking {
  readonly spans: readonly Span[]
  isFirst: boolean
}

/**
 * Wraps cited text in `<mark>`. Exact to the character if the Markdown has the text as shown. Marks a text with escapes
 * completely, and HTML in the Markdown as the smallest element with a known position.
 */
export function markCited(tree: Root, spans: readonly Span[]): void {
  if (spans.length > 0) markIn(tree, { spans, isFirst: true })
}

/** True if it marked a descendant. */
function markIn(parent: Parent, marking: Marking): boolean {
  let isMarked = false
  const children = (parent.children as RootContent[]).flatMap((child): RootContent[] => {
    if (child.type === 'text') {
      const parts = marked(child, marking)
      isMarked ||= parts.length > 1 || parts[0]?.type === 'element'
      return parts
    }
    if (child.type === 'element') isMarked = markElement(child, marking) || isMarked
    return [child]
  })
  parent.children = children as ElementContent[]
  return isMarked
}

function markElement(element: Element, marking: Marking): boolean {
  const { dataStart, dataEnd } = element.properties
  const isPlaced = typeof dataStart === 'number' && typeof dataEnd === 'number'
  if (isPlaced && !isCited(marking.spans, [dataStart, dataEnd])) return false
  if (markIn(element, marking)) return true
  if (!isPlaced) return false
  element.properties['className'] = ['cited']
  nameFirst(element, marking)
  return true
}

function marked(text: Text, marking: Marking): ElementContent[] {
  const [from, to] = [text.position?.start.offset, text.position?.end.offset]
  if (from === undefined || to === undefined || !isCited(marking.spans, [from, to])) return [text]
  const { value } = text
  if (value.length !== to - from) return [mark(value, marking)]
  const parts: ElementContent[] = []
  let at = 0
  for (const [start, end] of marking.spans) {
    const [first, last] = [Math.max(at, start - from), Math.min(value.length, end - from)]
    if (first >= last) continue
    if (first > at) parts.push({ type: 'text', value: value.slice(at, first) })
    parts.push(mark(value.slice(first, last), marking))
    at = last
  }
  if (at < value.length) parts.push({ type: 'text', value: value.slice(at) })
  return parts
}

function mark(value: string, marking: Marking): Element {
  const element: Element = { type: 'element', tagName: 'mark', properties: {}, children: [{ type: 'text', value }] }
  nameFirst(element, marking)
  return element
}

function nameFirst(element: Element, marking: Marking): void {
  if (marking.isFirst) element.properties['id'] = CITED_ID
  marking.isFirst = false
}
