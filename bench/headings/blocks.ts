import { documentStyle, type DocumentStyle } from '../../src/engine/pdf/layout/document-style.ts'
import type { LayoutBlock, Line } from '../../src/engine/pdf/layout/block.ts'
import { furnitureOf } from '../../src/engine/pdf/layout/furniture.ts'
import { layoutPage } from '../../src/engine/pdf/layout/layout-page.ts'
import { lineText } from '../../src/engine/pdf/layout/line-text.ts'
import { rowsOf, sizeOf } from '../../src/engine/pdf/layout/rows.ts'
import { rulingsOf } from '../../src/engine/pdf/layout/rulings.ts'
import { wordsOf } from '../../src/engine/pdf/layout/words.ts'
import { readPages } from '../../src/engine/pdf/read-pages.ts'

export interface BlockExample {
  readonly text: string
  readonly features: readonly number[]
  /** What the rules of the layout say; without the outline of the file, which no classifier sees either. */
  readonly isRuled: boolean
}

const MOST_PAGES = 100

/** The blocks of text of a PDF, each with what its letters and its neighbours look like. */
export async function blocksOf(path: string): Promise<BlockExample[]> {
  const examples: BlockExample[] = []
  for await (const batch of readPages(path, MOST_PAGES)) {
    const pages = batch.flatMap(({ page }) => page ?? [])
    const read = pages.map((page) => ({ page, words: wordsOf(page) }))
    const style = documentStyle(read.flatMap(({ words }) => words))
    const rows = read.map(({ page, words }) => ({
      rows: rowsOf(words.filter((word) => word.turned === 0)),
      height: page.height,
    }))
    const furniture = furnitureOf(rows, style.bodySize)
    for (const [index, { page }] of read.entries()) {
      const blocks = layoutPage(
        {
          rows: rows[index]?.rows ?? [],
          turned: [],
          furniture: furniture[index] ?? new Map(),
          rulings: rulingsOf(page),
          figures: [],
          inset: [],
          named: new Map(),
        },
        style,
      )
      examples.push(...blocks.flatMap((block, at) => exampleOf(block, blocks[at - 1], blocks[at + 1], style) ?? []))
    }
  }
  return examples
}

function exampleOf(
  block: LayoutBlock,
  before: LayoutBlock | undefined,
  next: LayoutBlock | undefined,
  style: DocumentStyle,
): BlockExample | null {
  if (block.kind !== 'paragraph' && block.kind !== 'heading' && block.kind !== 'list_item' && block.kind !== 'caption')
    return null
  const marker = block.kind === 'list_item' ? `${block.marker} ` : ''
  const text = marker + block.lines.map(lineText).join(' ')
  const words = block.lines.flat()
  const share = (test: (word: Line[number]) => boolean): number => words.filter(test).length / Math.max(1, words.length)
  const gap = before === undefined ? 5 : (block.box.y0 - before.box.y1) / style.bodySize
  const after = next === undefined ? 5 : (next.box.y0 - block.box.y1) / style.bodySize
  const features = [
    sizeOf(words) / style.bodySize,
    share((word) => word.weight >= style.boldWeight),
    share((word) => word.italic),
    block.lines.length,
    Math.min(300, text.length),
    Number(text === text.toUpperCase()),
    Number(/[.;,]$/.test(text)),
    Number(text.endsWith(':')),
    Number(/^\(?(?:\d+|[A-Z])(?:\.\d+)*[.)]?\s/.test(text)),
    Number(/^[\p{Lu}\p{N}]/u.test(text)),
    Number(block.kind === 'list_item'),
    Math.max(-5, Math.min(5, gap)),
    Math.max(-5, Math.min(5, after)),
    next === undefined || next.kind === 'table' || next.kind === 'figure' ? 0 : Math.min(300, charactersOf(next.lines)),
    next === undefined || next.kind === 'table' || next.kind === 'figure'
      ? 0
      : sizeOf(next.lines.flat()) / style.bodySize,
    Number(next?.kind === 'table'),
    Number(before === undefined),
  ]
  return { text, features, isRuled: block.kind === 'heading' }
}

const charactersOf = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + lineText(line).length, 0)
