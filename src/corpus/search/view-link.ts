import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'

/** Origin of a chunk. */
export type Citation = Pick<ChunkLine, 'document' | 'pages' | 'boxes' | 'markdownSpan' | 'receipts'>

/**
 * Address of a chunk in `sluice view`: it opens the document on the chunk's first page and marks its box and its part
 * of the Markdown (docs/guide/operate.md). `view` is the address that the command printed; '' gives a relative address.
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
