import { groupAt } from './rtf-groups.ts'

/** A table control word in an RTF file, with an exclusive `end`. */
export interface TableSign {
  /** `paragraph` carries its nesting depth. `cell` and `row` mark the end of one. */
  readonly kind: 'paragraph' | 'inTable' | 'cell' | 'row'
  readonly start: number
  readonly end: number
  /** 1 for a table of the document itself. */
  readonly level: number
  /** Columns of an inner row. Outer rows have them elsewhere. */
  readonly definition: string
}

const WORDS = /\\(itap(\d+)(?!\d)|(?:pard|intbl|nestcell|cell|row)(?![a-z\d])) ?|\{\\\*\\nesttableprops(?![a-z])/g
const ROW_END = String.raw`\nestrow`
const INNER_ROW = /^\{\\\*\\nesttableprops ?|\\nestrow(?![a-z]) ?|\}$/g

/** Maximum depth. No writer nests tables deeper. */
const MAX_LEVEL = 50

/** Returns all signs in order, except those of paragraphs outside tables without information. */
export function tableSigns(rtf: string): TableSign[] {
  const signs: TableSign[] = []
  let level = 0
  /** Signs of the current paragraph's properties. Its depth may follow them. */
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
      // Some writers repeat the columns before the cells. Only one of the two ends the row.
      if (!group.includes(ROW_END)) continue
      add('row', index, index + group.length, group.replace(INNER_ROW, ''))
    }
  }
  return signs
}
