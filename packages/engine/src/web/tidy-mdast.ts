import type { List, Nodes, Parents, PhrasingContent, Root } from 'mdast'
import { visit } from 'unist-util-visit'

const MARKS = new Set(['strong', 'emphasis', 'delete', 'link'])
const INLINE_PARENTS = new Set([...MARKS, 'paragraph', 'heading', 'tableCell'])

/**
 * Puts right what HTML allows and Markdown cannot say: spaces and breaks at the inner edge of bold, italics and links move
 * outside (`<b>Name: </b>`), the same mark inside itself and marks around nothing go away, and so do paragraphs of breaks.
 * Lists of one-paragraph items are tight.
 */
export function tidyMdast(tree: Root): void {
  tidyInline(tree, [])
  dropEmpty(tree)
  joinLists(tree)
  visit(tree, 'list', tighten)
}

/** Bottom up, so that a mark around a mark around nothing goes as well. */
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

/** A mark without the space at its inner edges, which comes to stand beside it; only its content where it marks nothing. */
function withoutEdges(node: PhrasingContent, open: readonly string[]): PhrasingContent[] {
  if (!MARKS.has(node.type) || !('children' in node)) return [node]
  const content = [...node.children] as PhrasingContent[]
  if (content.every(isBlank) || (node.type !== 'link' && open.includes(node.type))) return content
  const before = takeEdge(content, 0, (text) => text.trimStart())
  const after = takeEdge(content, -1, (text) => text.trimEnd())
  node.children = content
  return [...before, node, ...after]
}

/** Takes blank nodes and blank text from an end of a run, and gives what stands for them outside: a break or a space. */
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

/** Texts that came to stand side by side become one, with one space between words and none around a break. */
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

/** Paragraphs, items and lists without content, as scripts leave them behind. */
function dropEmpty(parent: Parents): void {
  for (const child of parent.children) if ('children' in child) dropEmpty(child)
  const kept = parent.children.filter((child) => {
    if (child.type === 'paragraph' || child.type === 'heading') return !child.children.every(isBlank)
    return (child.type !== 'listItem' && child.type !== 'list') || child.children.length > 0
  })
  if (kept.length < parent.children.length) parent.children = kept as typeof parent.children
}

/** Bulleted lists one after the other: a list to the eye, and without another bullet for each. */
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
