import type { BlockType } from '@sluice/contract'
import type { Fragment, PageFragments } from './fragment.ts'
import type { LayoutBlock } from './layout/block.ts'
import { wordsOfBlock } from './layout/block.ts'
import { headingLevels, headingStyle, type HeadingStyle, type PlacedHeading } from './layout/heading-levels.ts'
import { headingKey } from './layout/outlined-headings.ts'
import { isNote } from './layout/notes.ts'
import { renderBlock } from './render-block.ts'

/** A fragment whose heading level depends on the complete document. */
export interface Draft {
  readonly fragment: Fragment
  readonly heading: HeadingStyle | null
}

export interface PageDraft extends Omit<PageFragments, 'fragments'> {
  readonly drafts: readonly Draft[]
}

const TYPES: Readonly<Record<LayoutBlock['kind'], BlockType>> = {
  heading: 'section_header',
  paragraph: 'text',
  list_item: 'text',
  code: 'text',
  caption: 'caption',
  formula: 'formula',
  table: 'table',
  figure: 'figure',
  page_header: 'page_header',
  page_footer: 'page_footer',
  page_number: 'page_number',
}

const RUNNING: ReadonlySet<LayoutBlock['kind']> = new Set(['page_header', 'page_footer', 'page_number'])

export interface DraftOptions {
  /** Leaves running headers, footers and page numbers out of the Markdown. */
  readonly onlyMainContent: boolean
  readonly vocabulary: ReadonlySet<string>
  /** Font size of the body text, in points. */
  readonly bodySize: number
}

/** Turns the blocks of a page into drafts. Skips a block without text unless it is a figure. */
export function draftsOf(blocks: readonly LayoutBlock[], options: DraftOptions): Draft[] {
  const drafts: Draft[] = []
  for (const [index, block] of blocks.entries()) {
    const text = renderBlock(block, options.vocabulary)
    if (text === '' && block.kind !== 'figure') continue
    const confidences = wordsOfBlock(block).flatMap((word) => word.confidence ?? [])
    const left = options.onlyMainContent && RUNNING.has(block.kind)
    drafts.push({
      heading: block.kind === 'heading' ? headingStyle(block, options.bodySize) : null,
      fragment: {
        type: TYPES[block.kind],
        label: block.kind,
        bbox: block.box,
        markdown: left ? '' : text,
        ...(left ? { omitted: text } : {}),
        ...(isNote(block, options.bodySize) ? { note: true } : {}),
        spacing: block.kind === 'list_item' && blocks[index - 1]?.kind === 'list_item' ? 'tight' : 'loose',
        source: confidences.length > 0 ? 'layout_ocr' : 'native_text',
        ocrConfidence: confidences.length > 0 ? mean(confidences) : null,
      },
    })
  }
  return drafts
}

/**
 * Assigns every heading its level once the parser knows all headings. A heading of level 1 on page 1 is the title.
 * `statedTitle` is the title in the metadata.
 */
export function finished(pages: readonly PageDraft[], statedTitle = ''): PageFragments[] {
  const found = pages.flatMap((page, index) => placedHeadings(page, index, headingKey(statedTitle)))
  const isDeck = found.filter(([, { slideTitle }]) => slideTitle).length > 1
  // The first line of a slide's body is as large as a heading, yet is body text.
  const placed = new Map(
    isDeck ? found.filter(([, { slideTitle, style }]) => slideTitle || style.bold || style.named !== null) : found,
  )
  const levels = headingLevels([...placed.values()])
  const levelOf = new Map([...placed.keys()].map((draft, index) => [draft, levels[index] ?? 1]))
  const title = pages[0]?.drafts.find((draft) => levelOf.get(draft) === 1)
  return pages.map(({ drafts, ...page }) => ({
    ...page,
    fragments: drafts.map((draft): Fragment => {
      const level = levelOf.get(draft)
      if (level === undefined)
        return draft.heading === null ? draft.fragment : { ...draft.fragment, type: 'text', label: 'paragraph' }
      const markdown = `${'#'.repeat(level)} ${draft.fragment.markdown}`
      return { ...draft.fragment, markdown, type: draft === title ? 'title' : draft.fragment.type }
    }),
  }))
}

/** Threshold in characters. Longer text above a heading is neither subtitle nor author nor date. */
const TEXT_CHARACTERS = 200

function placedHeadings({ drafts, size }: PageDraft, page: number, titleKey: string): [Draft, PlacedHeading][] {
  const first = drafts.find(({ fragment }) => fragment.markdown !== '')
  const firstText = drafts.findIndex(
    ({ fragment: { label, markdown } }) => label === 'paragraph' && markdown.length >= TEXT_CHARACTERS,
  )
  return drafts.flatMap((draft, index): [Draft, PlacedHeading][] => {
    if (draft.heading === null) return []
    const slideTitle = draft === first && size !== null && size.width > size.height
    const statedTitle = titleKey !== '' && headingKey(draft.fragment.markdown) === titleKey
    const belowText = firstText >= 0 && firstText < index
    return [[draft, { style: draft.heading, page, slideTitle, belowText, statedTitle }]]
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
