import { escapeInline } from '../escape-markdown.ts'
import type { Insertion } from './placeholders.ts'
import { wordParagraphs } from './word-text.ts'
import { descendants, type XmlElement } from './xml-tree.ts'

/** Groups and canvases of shapes, those of before 2010 among them, and letters drawn along a path. */
const GROUPS = ['wpg:wgp', 'wpc:wpc', 'v:group'] as const
export const SHAPE_SIGNS = [':wgp', ':wpc', ':group', ':textpath'] as const

/** Text of grouped shapes and of WordArt, which the library drops; null where a drawing is neither. */
export function shapesInsertion(drawing: XmlElement): Insertion | null {
  const letters = [...descendants(drawing, 'v:textpath')].map(({ attributes }) =>
    escapeInline(attributes['string'] ?? ''),
  )
  const holders = letters.length > 0 ? [drawing] : [...descendants(drawing, ...GROUPS)]
  const boxes = holders.flatMap((group) =>
    // The copy for older readers repeats the text.
    [...descendants(group, 'w:txbxContent', 'mc:Fallback')].filter(({ name }) => name === 'w:txbxContent'),
  )
  const paragraphs = [...boxes.flatMap(wordParagraphs), ...letters.filter((text) => text.trim() !== '')]
  return paragraphs.length === 0 ? null : { block: paragraphs.join('\n\n'), inline: paragraphs.join(' ') }
}
