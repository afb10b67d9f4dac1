import type { List, Nodes, Parents, PhrasingContent, Root } from 'mdast'
import { visit } from 'unist-util-visit'

const MARKS = new Set(['strong', 'emphasis', 'delete', 'link'])
const INLINE_PARENTS = new Set([...MARKS, 'paragraph', 'heading', 'tableCell'])

/**
 * Fixes HTML constructs that Markdown cannot express. Spaces and breaks at the inner edge of bold, italics and links
 * move outside (`<b>Name: </b>`). Nested duplicate marks, empty marks and paragraphs of breaks go. Lists of
 * one-paragraph items are tight.
 */
export function tidyMdast(tree: Root): void {
  tidyInline(tree, [])
  dropEmpty(tree)
  joinLists(tree)
  visit(tree, 'list', tighten)
}

/** Works bottom up, so that a mark around an empty mark goes too. */
function tidyInline(parent: Parents, open: readonly string[]): void {
  const here = MARKS.has(parent.type) ? [...open, parent.type] : open
  for (const child of parent.children) if ('children' in child) tidyInline(child, here)
  if (!INLINE_PARENTS.has(parent.type)) return
  const children = (parent.children as PhrasingContent[]).flatMap((child) => withoutEdges(child, here))
  const isHeading = parent.type === 'heading'
  const joined = joinTexts(isHeading ? children.map((child) => (child.type === 'break' ? space() : child)) : children)
  if (!MARKS.has(parent.type)) {
    takeEdge(joined, 0, (text) => text.trimStart())
    takeEdge(joined, -1, (text) => text.trimEnd())
  }
  parent.children = joined as typeof parent.children
}

/** Moves the space at a mark's inner edges outside. Returns only the content of an empty mark. */
function withoutEdges(node: PhrasingContent, open: readonly string[]): PhrasingContent[] {
  if (!MARKS.has(node.type) || !('children' in node)) return [node]
  const content = [...node.children] as PhrasingContent[]
  if (content.every(isBlank) || (node.type !== 'link' && open.includes(node.type))) return content
  const before = takeEdge(content, 0, (text) => text.trimStart())
  const after = takeEdge(content, -1, (text) => text.trimEnd())
  node.children = content
  return [...before, node, ...after]
}

/** Removes blank nodes and blank text from an end of a run. Returns their replacement outside: a break or a space. */
function takeEdge(content: PhrasingContent[], end: 0 | -1, trim: (text: string) => string): PhrasingContent[] {
  const taken: PhrasingContent[] = []
  for (let node = content.at(end); node !== undefined && isBlank(node); node = content.at(end)) {
    taken.push(node)
    content.splice(end, 1)
  }
  const edge = content.at(end)
  if (edge?.type === 'text' && trim(edge.value) !== edge.value) {
    taken.push(space())
    edge.value = trim(edge.value)
  }
  if (taken.some((node) => node.type === 'break')) return [{ type: 'break' }]
  return taken.length > 0 ? [space()] : []
}

/** Merges adjacent texts, with one space between words and none next to a break. */
function joinTexts(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const joined: PhrasingContent[] = []
  for (const node of nodes) {
    const last = joined.at(-1)
    if (node.type === 'text' && last?.type === 'text') last.value = (last.value + node.value).replace(/\s+/g, ' ')
    else if (node.type === 'text' && last?.type === 'break') joined.push({ ...node, value: node.value.trimStart() })
    else joined.push(node)
    if (node.type === 'break' && last?.type === 'text') last.value = last.value.trimEnd()
  }
  return joined.filter((node) => node.type !== 'text' || node.value !== '')
}

function isBlank(node: PhrasingContent): boolean {
  return node.type === 'break' || (node.type === 'text' && node.value.trim() === '')
}

/** Removes empty paragraphs, items and lists, which scripts leave. */
function dropEmpty(parent: Parents): void {
  for (const child of parent.children) if ('children' in child) dropEmpty(child)
  const kept = parent.children.filter((child) => {
    if (child.type === 'paragraph' || child.type === 'heading') return !child.children.every(isBlank)
    return (child.type !== 'listItem' && child.type !== 'list') || child.children.length > 0
  })
  if (kept.length < parent.children.length) parent.children = kept as typeof parent.children
}

/** Merges consecutive bulleted lists, which a browser shows as one list without extra bullets. */
function joinLists(parent: Parents): void {
  const kept: Nodes[] = []
  for (const child of parent.children) {
    const last = kept.at(-1)
    const isJoinable = child.type === 'list' && last?.type === 'list' && !child.ordered && !last.ordered
    if (isJoinable) last.children.push(...child.children)
    else kept.push(child)
  }
  parent.children = kept as typeof parent.children
  for (const child of parent.children) if ('children' in child) joinLists(child)
}

function tighten(list: List): void {
  for (const item of list.children) item.spread = item.children.filter((child) => child.type !== 'list').length > 1
  list.spread = list.children.some((item) => item.spread)
}

function space(): PhrasingContent {
  return { type: 'text', value: ' ' }
}
