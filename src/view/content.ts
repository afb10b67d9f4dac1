import { withCodes } from '#src/kit/concealed.ts'
import type { Span } from './citation.ts'

/** The module whose process renders documents (`Render`). */
export const RENDER_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './render-child.ts' : './render-child.js',
  import.meta.url,
)

/** Request to the rendering process. */
export interface RenderRequest {
  readonly kind: 'markdown' | 'html'
  readonly text: string
  readonly cited: readonly Span[]
}

/** Sanitised HTML; null if the process exceeded its timeout or memory limit. */
export type Render = (request: RenderRequest) => Promise<string | null>

/** Threshold for rendering a complete document: the tree of a larger one would take hundreds of megabytes. */
const MAX_CHARACTERS = 2_000_000

/** Maximum length of a preview of a larger document: some thousand rows of a table. */
const FIRST_CHARACTERS = 100_000

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Shown content of a document's text: rendered and sanitised, only the first lines of a large one. The fallback after a
 * timeout is the text itself.
 */
export async function shownContent(
  kind: RenderRequest['kind'],
  text: string,
  cited: readonly Span[],
  render: Render,
): Promise<string> {
  const isWhole = text.length <= MAX_CHARACTERS
  const part = isWhole ? text : firstLines(text)
  const rendered = await render({ kind, text: part, cited })
  if (rendered !== null && isWhole) return rendered
  if (rendered !== null)
    return `<p><em>The document is too large to show: these are its first lines.</em></p>${rendered}`
  const shown = `<pre>${withCodes(escapeText(text.slice(0, MAX_CHARACTERS)))}</pre>`
  const cut = isWhole ? '' : ', cut at two million characters'
  return `<p><em>The document is too large or too deeply nested to render: this is its Markdown source${cut}.</em></p>${shown}`
}

function firstLines(text: string): string {
  const end = text.lastIndexOf('\n', FIRST_CHARACTERS)
  return text.slice(0, end < 0 ? FIRST_CHARACTERS : end)
}
