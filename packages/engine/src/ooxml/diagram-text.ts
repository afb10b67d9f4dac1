import { escapeInline } from '../markup/escape-markdown.ts'
import type { Insertion } from './placeholders.ts'
import { attributeOf, childOf, descendants, textOf, type XmlElement } from './xml-tree.ts'

/** Renders the texts of a SmartArt diagram as a list, in the order of its data model (ECMA-376 part 1, 21.4). */
export function diagramInsertion(part: XmlElement): Insertion {
  const texts = [...descendants(part, 'dgm:pt')]
    .filter((point) => !['pres', 'parTrans', 'sibTrans'].includes(attributeOf(point, 'type') ?? ''))
    .map((point) =>
      [...descendants(childOf(point, 'dgm:t') ?? point, 'a:t')].map(textOf).join('').replace(/\s+/g, ' ').trim(),
    )
    .filter((text) => text !== '')
    .map((text) => escapeInline(text))
  return { block: texts.map((text) => `- ${text}`).join('\n'), inline: texts.join('; ') }
}
