import { reviewComment } from '../../markup/html-comment.ts'
import { counted } from '../../markup/left-out.ts'
import { Placeholders } from '../../ooxml/placeholders.ts'
import type { Supplement } from '../../ooxml/supplement.ts'
import { withFormulaTokens } from './rtf-formulas.ts'
import { withoutNestedTables } from './nested-tables.ts'
import { groupAt, groupText } from './rtf-groups.ts'
import { withShapeTokens } from './rtf-shapes.ts'
import { withoutDeletedText } from './without-deleted-text.ts'

import { plainParagraphs } from '../../markup/plain-paragraphs.ts'

const HEADERS = /\{\\header[lrf]?(?![a-z])/g
const FOOTERS = /\{\\footer[lrf]?(?![a-z])/g
/** Embedded files. The converter reads only the text shown for them. */
const OBJECT_CLASS = /\\objclass\s+([\w.]+)/g
const EQUATION_CLASS = /^(?:Equation|MathType)/
const COMMENTS = /\{\\\*\\annotation(?![a-z])/g

/**
 * Collects headers, footers, comments and formulas of an RTF document, which the library omits (RTF 1.9.1). Removes
 * deleted text, which the library shows, and turns nested tables into lines of their cell.
 */
export function rtfSupplement(bytes: Buffer, onlyMainContent: boolean): Supplement {
  const placeholders = new Placeholders()
  const original = bytes.toString('latin1')
  const visible = withoutNestedTables(withoutDeletedText(original))
  const rtf = withFormulaTokens(withShapeTokens(visible, placeholders), placeholders)
  const paragraphs = (start: RegExp): string[] =>
    plainParagraphs([...visible.matchAll(start)].map(({ index }) => groupText(groupAt(visible, index))))
  return {
    bytes: rtf === original ? bytes : Buffer.from(rtf, 'latin1'),
    placeholders,
    after: paragraphs(COMMENTS).map((text) => (onlyMainContent ? reviewComment('', text) : `Comment: ${text}`)),
    headers: paragraphs(HEADERS),
    footers: paragraphs(FOOTERS),
    leftOut: objectsIn(original),
  }
}

function objectsIn(rtf: string): string[] {
  const classes = [...rtf.matchAll(OBJECT_CLASS)].map(([, name = '']) => name)
  const equations = classes.filter((name) => EQUATION_CLASS.test(name)).length
  return [...counted(equations, 'formula'), ...counted(classes.length - equations, 'embedded file')]
}
