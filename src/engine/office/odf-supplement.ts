import { odfObjects } from './odf-objects.ts'
import type { OoxmlPackage } from './ooxml/ooxml-package.ts'
import { Placeholders } from './ooxml/placeholders.ts'
import type { Supplement } from './ooxml/supplement.ts'
import { descendants, textOf, type XmlElement } from './ooxml/xml-tree.ts'
import { PAGE_NUMBER, plainParagraphs } from './plain-paragraphs.ts'

const HEADERS = ['style:header', 'style:header-left', 'style:header-first'] as const
const FOOTERS = ['style:footer', 'style:footer-left', 'style:footer-first'] as const

/**
 * Headers, footers, charts and formulas of an OpenDocument text or presentation (OpenDocument 1.3, part 3), which the
 * library leaves out. Writers agree on the prefixes of names.
 */
export function odfSupplement(odf: OoxmlPackage): Supplement {
  const styles = odf.xml('styles.xml')
  return {
    bytes: odf.bytes,
    placeholders: new Placeholders(),
    after: odfObjects(odf),
    headers: styles === null ? [] : paragraphs(styles, HEADERS),
    footers: styles === null ? [] : [...paragraphs(styles, FOOTERS), ...slideFooters(styles)],
    leftOut: [],
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

/** What master pages print on each slide: their frames of the class footer. */
function slideFooters(styles: XmlElement): string[] {
  const frames = [...descendants(styles, 'style:master-page')].flatMap((master) => [
    ...descendants(master, 'draw:frame'),
  ])
  const footers = frames.filter(({ attributes }) => attributes['presentation:class'] === 'footer')
  return plainParagraphs(
    footers.flatMap((frame) =>
      [...descendants(frame, 'text:p')]
        // A field stands there where each slide may have a text of its own.
        .filter((paragraph) => [...descendants(paragraph, 'presentation:footer')].length === 0)
        .map((paragraph) => textOf(paragraph)),
    ),
  )
}
