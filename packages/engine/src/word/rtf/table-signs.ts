import { groupAt } from './rtf-groups.ts'

/** A place of an RTF file where something about tables is said; before `end`. */
export interface TableSign {
  /** `paragraph`: how many tables deep it stands. `cell` and `row`: the end of one. */
  readonly kind: 'paragraph' | 'inTable' | 'cell' | 'row'
  readonly start: number
  readonly end: number
  /** 1 for a table of the document itself. */
  readonly level: number
  /** Of an inner row its columns; the outer ones have them elsewhere. */
  readonly definition: string
}

const WORDS = /\\(itap(\d+)(?!\d)|(?:pard|intbl|nestcell|cell|row)(?![a-z\d])) ?|\{\\\*\\nesttableprops(?![a-z])/g
const ROW_END = String.raw`\nestrow`
const INNER_ROW = /^\{\\\*\\nesttableprops ?|\\nestrow(?![a-z]) ?|\}$/g

/** Deeper tables count as this deep: no writer makes them. */
const MAX_LEVEL = 50

/** All signs in their order, but those of paragraphs outside of tables that say nothing. */
export function tableSigns(rtf: string): TableSign[] {
  const signs: TableSign[] = []
  let level = 0
  /** Signs of the present paragraph's properties: its depth may be said after them. */
  let properties = 0
  const add = (kind: TableSign['kind'], start: number, end: number, definition = ''): void => {
    signs.push({ kind, start, end, level, definition })
  }
  for (const { index, 0: text, 1: word = '', 2: depth } of rtf.matchAll(WORDS)) {
    const end = index + text.length
    if (word === 'pard') {
      level = 0
      properties = signs.length
    } else if (word === 'intbl') {
      level = Math.max(1, level)
      add('inTable', index, end)
    } else if (depth !== undefined) {
      level = Math.min(MAX_LEVEL, Number(depth))
      add('paragraph', index, end)
      for (let at = properties; at < signs.length; at += 1) signs[at] = { ...(signs[at] as TableSign), level }
    } else if (word === 'cell' || word === 'row') add(word, index, end)
    else if (word === 'nestcell') add('cell', index, end)
    else {
      const group = groupAt(rtf, index)
      // Some writers say the columns before the cells too; only one of the two ends the row.
      if (!group.includes(ROW_END)) continue
      add('row', index, index + group.length, group.replace(INNER_ROW, ''))
    }
  }
  return signs
}
