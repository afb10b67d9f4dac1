import type { LayoutBlock, ParsedPage } from '@llamaindex/liteparse'
import type { Fragment, PageFragments } from './fragment.ts'
import type { ReadPage } from './read-pages.ts'
import { renderBlock } from './render-block.ts'

/** A page of the library as fragments of the contract's types. */
export function pageFragments({ pageNumber, page }: ReadPage): PageFragments {
  if (page === null) return { pageNumber, size: null, status: 'failed', fragments: [] }
  const blocks = page.blocks ?? []
  const fragments = blocks
    .filter((block) => block.kind !== 'rule')
    .map((block, index) => fragment(block, blocks[index - 1], page))
    .filter((piece) => piece.markdown !== '' || piece.type === 'figure')
  return { pageNumber, size: { width: page.width, height: page.height }, status: 'ok', fragments }
}

function fragment(block: LayoutBlock, before: LayoutBlock | undefined, page: ParsedPage): Fragment {
  const confidences = page.textItems.map((item) => item.confidence).filter((value) => value !== undefined)
  const recognised = confidences.length > 0
  return {
    type: typeOf(block, page.pageNum),
    label: block.kind,
    bbox: block.bbox ?? null,
    markdown: renderBlock(block),
    spacing: block.kind === 'list_item' && before?.kind === 'list_item' ? 'tight' : 'loose',
    source: recognised ? 'layout_ocr' : 'native_text',
    ocrConfidence: recognised ? confidences.reduce((sum, value) => sum + value, 0) / confidences.length : null,
  }
}

function typeOf(block: LayoutBlock, pageNumber: number): Fragment['type'] {
  if (block.kind === 'heading') return block.level === 1 && pageNumber === 1 ? 'title' : 'section_header'
  return block.kind === 'table' || block.kind === 'figure' ? block.kind : 'text'
}
