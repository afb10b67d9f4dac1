import type { List, Nodes, Parents, PhrasingContent, Root, Text } from 'mdast'
import { SKIP, visit } from 'unist-util-visit'

const WRAPPERS = new Set(['strong', 'emphasis', 'delete', 'link'])

/**
 * Puts right what HTML allows and Markdown cannot say: spaces at the inner edge of bold, italics and links move outside
 * (`<b>Name: </b>`), the same mark inside itself and marks around nothing go away. Lists of one-paragraph items are tight.
 */
export function tidyMdast(tree: Root): void {
  unwrapEmpty(tree)
  dropEmptyItems(tree)
  joinLists(tree)
  visit(tree, 'list', tighten)
  visit(tree, 'heading', (heading) =>
    visit(heading, 'break', (_break, index, parent) => void parent?.children.splice(index ?? 0, 1, space())),
  )
  visit(tree, (node, index, parent) => {
    if (!WRAPPERS.has(node.type) || !('children' in node) || parent === undefined || index === undefined)
      return undefined
    const content = node.children as PhrasingContent[]
    const before = takeSpace(content.at(0), /^\s+/)
    const after = takeSpace(content.at(-1), /\s+$/)
    if (!before && !after) return undefined
    const around = [...(before ? [space()] : []), node, ...(after ? [space()] : [])]
    parent.children.splice(index, 1, ...(around as typeof parent.children))
    return [SKIP, index + around.length]
  })
}

/** Items and lists without content, as scripts leave them behind. */
function dropEmptyItems(parent: Parents): void {
  for (const child of parent.children) if ('children' in child) dropEmptyItems(child)
  const kept = parent.children.filter(
    (child) => (child.type !== 'listItem' && child.type !== 'list') || child.children.length > 0,
  )
  if (kept.length < parent.children.length) parent.children = kept as typeof parent.children
}

/** Bulleted lists one after the other: a list to the eye, and without another bullet for each. */
function joinLists(parent: Parents): void {
  const kept: Nodes[] = []
  for (const child of parent.children) {
    const last = kept.at(-1)
    if (child.type === 'list' && last?.type === 'list' && !child.ordered && !last.ordered)
      last.children.push(...child.children)
    else kept.push(child)
  }
  parent.children = kept as typeof parent.children
  for (const child of parent.children) if ('children' in child) joinLists(child)
}

function tighten(list: List): void {
  for (const item of list.children) item.spread = item.children.filter((child) => child.type !== 'list').length > 1
  list.spread = list.children.some((item) => item.spread)
}

/** Bottom up, so that a mark around a mark around nothing goes as well. */
function unwrapEmpty(parent: Parents, open: readonly string[] = []): void {
  const here = WRAPPERS.has(parent.type) ? [...open, parent.type] : open
  for (const child of parent.children) if ('children' in child) unwrapEmpty(child, here)
  const kept = parent.children.flatMap((child: Nodes) => {
    if (!WRAPPERS.has(child.type) || !('children' in child)) return [child]
    return isBlank(child) || (child.type !== 'link' && here.includes(child.type)) ? child.children : [child]
  })
  parent.children = kept as typeof parent.children
}

function isBlank(node: Parents): boolean {
  return node.children.every((child) => child.type === 'text' && child.value.trim() === '')
}

/** Cuts the space off a text's edge and says whether there was any. */
function takeSpace(node: PhrasingContent | undefined, edge: RegExp): boolean {
  if (node?.type !== 'text' || !edge.test(node.value) || node.value.trim() === '') return false
  node.value = node.value.replace(edge, '')
  return true
}

function space(): Text {
  return { type: 'text', value: ' ' }
}
