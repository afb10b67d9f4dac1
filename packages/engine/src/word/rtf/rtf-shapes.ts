import type { Placeholders } from '../../ooxml/placeholders.ts'
import { plainParagraphs } from '../../markup/plain-paragraphs.ts'
import { groupAt, groupText } from './rtf-groups.ts'
import { escapedToken } from './escaped-token.ts'

const ROWS_AND_SHAPES = /\\(trowd|row)(?![a-z])|\{\\shp(?![a-z])/g

/**
 * Replaces each text box within a table with a token. The library's parser ends the table at the box's first paragraph,
 * and drops the cells of that row.
 */
export function withShapeTokens(rtf: string, placeholders: Placeholders): string {
  const kept: string[] = []
  let from = 0
  let isInRow = false
  for (const { index, 1: row } of rtf.matchAll(ROWS_AND_SHAPES)) {
    if (row !== undefined) isInRow = row === 'trowd'
    if (row !== undefined || !isInRow || index < from) continue
    const group = groupAt(rtf, index)
    const texts = plainParagraphs([groupText(group)])
    // A formula inside remains, and is converted in position.
    if (!group.endsWith('}') || texts.length === 0 || group.includes(String.raw`\moMath`)) continue
    kept.push(rtf.slice(from, index), escapedToken(placeholders.add({ block: null, inline: texts.join(' ') })))
    from = index + group.length
  }
  return kept.length === 0 ? rtf : kept.join('') + rtf.slice(from)
}
