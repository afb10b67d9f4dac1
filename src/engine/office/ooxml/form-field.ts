import { escapeInline } from '../escape-markdown.ts'
import type { Insertion } from './placeholders.ts'
import { attributeOf, childOf, childrenOf, type XmlElement } from './xml-tree.ts'

/** What a list or a box of a form shows, which is no result of its field (ECMA-376 part 1, 17.16); null for other fields. */
export function formFieldInsertion(fieldStart: XmlElement): Insertion | null {
  const data = childOf(fieldStart, 'w:ffData')
  const [list, box] = [childOf(data, 'w:ddList'), childOf(data, 'w:checkBox')]
  if (list !== undefined) {
    const chosen = attributeOf(childOf(list, 'w:result') ?? childOf(list, 'w:default'), 'val')
    const item = childrenOf(list, 'w:listEntry')[Number(chosen ?? 0)]
    const text = attributeOf(item, 'val') ?? ''
    return text === '' ? null : { block: null, inline: escapeInline(text) }
  }
  if (box === undefined) return null
  const state = childOf(box, 'w:checked') ?? childOf(box, 'w:default')
  const isChecked = state !== undefined && !/^(?:0|false|off)$/.test(attributeOf(state, 'val') ?? '1')
  return { block: null, inline: isChecked ? '☒' : '☐' }
}
