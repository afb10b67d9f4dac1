import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

const PAGE = resolve(import.meta.dirname, '../../../docs/metrics.md')

/** The queries of docs/metrics.md by their headings. */
export async function questions(): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(PAGE, 'utf8')
  const found = page.matchAll(/^### (.+)\n\n```promql\n([^]*?)```/gm)
  return new Map([...found].map(([, title = '', query = '']) => [title, query.trim()]))
}
