import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'

/** What a chunk says of where it comes from. */
export type Citation = Pick<ChunkLine, 'document' | 'pages' | 'boxes' | 'markdownSpan' | 'receipts'>

/**
 * Address at which `sluice view` opens the document of a chunk, on its first page, with its box and its part of the Markdown
 * marked (docs/guide/operate.md). `view` is the address that the command printed; '' gives an address relative to it.
 */
export function viewLink(view: string, { document, pages, boxes, markdownSpan, receipts }: Citation): string {
  const params = new URLSearchParams({ key: document })
  const [page] = pages
  if (page !== undefined) params.set('page', String(page))
  params.set('span', markdownSpan.join('-'))
  for (const { bbox } of boxes.filter((box) => box.page === page)) params.append('box', bbox.join(','))
  if (receipts[0] !== undefined) params.set('receipt', receipts[0])
  const path = `document?${params.toString()}`
  return view === '' ? path : new URL(path, view.endsWith('/') ? view : `${view}/`).href
}
