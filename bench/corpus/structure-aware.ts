import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { markdownBlocks } from '#src/corpus/chunks/markdown-blocks.ts'
import { sentenceRanges } from '#src/corpus/chunks/split-text.ts'

/** A paragraph that names the table below it. */
const CAPTION = /^Table \d+: [^\n]+$/

/**
 * Our own baseline after the documented rules of docling's HybridChunker: a chunk for each block with its headings before it, and
 * with its caption; one over the limit is split, tables by rows with their header, text by sentences; small neighbours under the
 * same headings are merged.
 */
export function structureAware(markdown: string, limit: number, counter: TokenCounter): readonly string[] {
  const chunks: { readonly path: string; readonly body: string }[] = []
  const headings: string[] = []
  let caption = ''
  for (const block of markdownBlocks(markdown)) {
    const text = markdown.slice(block.start, block.end)
    if (block.kind === 'heading') {
      headings.length = block.level - 1
      headings[block.level - 1] = text.replace(/^#+\s*/, '')
      continue
    }
    if (block.kind === 'paragraph' && CAPTION.test(text)) {
      caption = text
      continue
    }
    const path = [...headings.filter((heading) => heading !== undefined), ...(caption === '' ? [] : [caption])].join(
      '\n',
    )
    caption = ''
    const fits = (body: string): boolean => counter.count(`${path}\n${body}`) <= limit
    for (const body of fits(text) ? [text] : split(block.kind, text, fits)) {
      const last = chunks.at(-1)
      const merged = `${last?.body ?? ''}\n${body}`
      if (last?.path === path && fits(merged)) chunks[chunks.length - 1] = { path, body: merged }
      else chunks.push({ path, body })
    }
  }
  return chunks.map(({ path, body }) => `${path}\n${body}`)
}

function split(kind: string, text: string, fits: (body: string) => boolean): readonly string[] {
  const lines = text.split('\n')
  const header = kind === 'table' ? `${lines.slice(0, 2).join('\n')}\n` : ''
  const isProse = kind === 'paragraph'
  const parts = isProse
    ? sentenceRanges(text, 0, text.length).map(([start, end]) => text.slice(start, end))
    : lines.slice(header === '' ? 0 : 2)
  const bodies: string[] = []
  let body = ''
  for (const part of parts) {
    const longer = body === '' ? header + part : `${body}${isProse ? ' ' : '\n'}${part}`
    if (body !== '' && !fits(longer)) {
      bodies.push(body)
      body = header + part
    } else body = longer
  }
  return body === '' ? bodies : [...bodies, body]
}
