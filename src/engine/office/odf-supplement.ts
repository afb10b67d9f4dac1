import { asCell, escapeInline } from './escape-markdown.ts'
import { counted } from './left-out.ts'
import type { OoxmlPackage } from './ooxml/ooxml-package.ts'
import { Placeholders } from './ooxml/placeholders.ts'
import type { Supplement } from './ooxml/supplement.ts'
import { childrenOf, descendants, textOf, type XmlElement } from './ooxml/xml-tree.ts'
import { pipeTable } from './pipe-table.ts'
import { PAGE_NUMBER, plainParagraphs } from './plain-paragraphs.ts'

const HEADERS = ['style:header', 'style:header-left', 'style:header-first'] as const
const FOOTERS = ['style:footer', 'style:footer-left', 'style:footer-first'] as const

/**
 * Headers, footers and charts of an OpenDocument text or presentation (OpenDocument 1.3, part 3), which the library leaves
 * out; formulas are counted. Writers agree on the prefixes of names.
 */
export function odfSupplement(odf: OoxmlPackage): Supplement {
  const styles = odf.xml('styles.xml')
  const objects = odf.parts(/^Object [^/]+\/content\.xml$/).flatMap((part) => odf.xml(part) ?? [])
  const formulas = objects.filter((object) => childrenOf(object).some(({ name }) => /^(?:.*:)?math$/.test(name)))
  return {
    bytes: odf.bytes,
    placeholders: new Placeholders(),
    after: objects.flatMap(chartBlocks),
    headers: styles === null ? [] : paragraphs(styles, HEADERS),
    footers: styles === null ? [] : paragraphs(styles, FOOTERS),
    leftOut: counted(formulas.length, 'formula'),
  }
}

function paragraphs(styles: XmlElement, names: readonly string[]): string[] {
  const texts = [...descendants(styles, ...names)].flatMap((part) =>
    [...descendants(part, 'text:p', 'text:h')].map((paragraph) => {
      const isNumbered = [...descendants(paragraph, 'text:page-number')].length > 0
      return textOf(paragraph).replace(/\s+/g, ' ') + (isNumbered ? PAGE_NUMBER : '')
    }),
  )
  return plainParagraphs(texts)
}

/** The title of a chart and its data as a table. */
function chartBlocks(object: XmlElement): string[] {
  return [...descendants(object, 'chart:chart')].map((chart) => {
    const titles = [...descendants(chart, 'chart:title')].map((title) => textOf(title).replace(/\s+/g, ' ').trim())
    const [first = '', ...axes] = titles.filter((title) => title !== '').map(escapeInline)
    const caption = [first === '' ? '' : `**${first}**`, axes.length === 0 ? '' : `(${axes.join(', ')})`]
    const rows = [...descendants(chart, 'table:table-row')].map((row) =>
      [...descendants(row, 'table:table-cell')].map((cell) => asCell(escapeInline(textOf(cell).trim()))),
    )
    return [caption.filter(Boolean).join(' '), rows.length === 0 ? '' : pipeTable(rows)].filter(Boolean).join('\n\n')
  })
}
