import type { BlockPage, ParsedData } from '#src/contract/response.ts'

/**
 * Derives a document's outputs from a parsed answer: name → bytes, in a fixed order, the same bytes for the same
 * answer. A file is there when the answer has the field, so that an empty one tells from one that was not asked for.
 *
 * - `document.md`: the document as Markdown
 * - `pages.jsonl`: one `{pageNumber, markdown}` a line
 * - `blocks.jsonl`: one block a line, with `pageNumber`, and `width`, `height`, `status` of its page
 * - `document.html`, `raw.html`, `summary.md`: as the answer gives them
 * - `links.json`, `images.json`: arrays of text; `data.json`: what the `json` format extracted
 */
export function renderOutputs(data: ParsedData): ReadonlyMap<string, Uint8Array> {
  const files: readonly (readonly [name: string, text: string | null])[] = [
    ['document.md', data.markdown ?? null],
    [
      'pages.jsonl',
      data.pages ? lines(data.pages.map(({ pageNumber, markdown }) => ({ pageNumber, markdown }))) : null,
    ],
    ['blocks.jsonl', data.blocks ? lines(data.blocks.flatMap(flatten)) : null],
    ['document.html', data.html ?? null],
    ['raw.html', data.rawHtml ?? null],
    ['links.json', json(data.links)],
    ['images.json', json(data.images)],
    ['data.json', json(data.json)],
    ['summary.md', data.summary ?? null],
  ]
  return new Map(files.flatMap(([name, text]) => (text === null ? [] : [[name, Buffer.from(text)] as const])))
}

function flatten({ pageNumber, width, height, status, items }: BlockPage): readonly object[] {
  return items.map((block) => ({ pageNumber, width, height, status, ...block }))
}

function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : `${JSON.stringify(value, null, 2)}\n`
}
