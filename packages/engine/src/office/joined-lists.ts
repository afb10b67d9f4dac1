import type { Block, List, ListItem } from './office-document.ts'

const isOnlyLists = ({ blocks }: ListItem): boolean => blocks.length > 0 && blocks.every(({ kind }) => kind === 'list')

/**
 * Moves each nested list into its item. Some writers put it into a separate item, after its item, or at the start of a
 * list that continues the previous one.
 */
export function withJoinedLists(blocks: readonly Block[]): readonly Block[] {
  if (!blocks.some(({ kind }) => kind === 'list')) return blocks
  const joined: Block[] = []
  for (const block of blocks) {
    const before = joined.at(-1)
    const [first] = block.list?.items ?? []
    if (block.list === undefined || first === undefined) joined.push(block)
    else if (!isOnlyLists(first)) joined.push({ ...block, list: withNestedLists(block.list) })
    else if (before?.list === undefined) joined.push(...withoutOuterLevel(block, block.list))
    else {
      const items = [...before.list.items, ...block.list.items]
      joined[joined.length - 1] = { ...before, list: withNestedLists({ ...before.list, items }) }
    }
  }
  return joined
}

/** Replaces a first item without text by its lists. The following items continue them. */
function withoutOuterLevel(block: Block, list: List): readonly Block[] {
  const [first, ...others] = list.items
  const inner = withJoinedLists(first?.blocks ?? [])
  return others.length === 0 ? inner : [...inner, ...withJoinedLists([{ ...block, list: { ...list, items: others } }])]
}

function withNestedLists(list: List): List {
  const items: ListItem[] = []
  for (const item of list.items) {
    const before = items.at(-1)
    if (before === undefined || !isOnlyLists(item)) items.push(item)
    else items[items.length - 1] = { ...before, blocks: [...before.blocks, ...item.blocks] }
  }
  return { ...list, items }
}
