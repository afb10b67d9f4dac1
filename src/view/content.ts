import type { Span } from './citation.ts'
import type { RenderRequest } from './render-child.ts'

/** The module whose process renders documents (`Render`). */
export const RENDER_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './render-child.ts' : './render-child.js',
  import.meta.url,
)

/** Sanitised HTML; null where the process was ended at a limit of time or memory. */
export type Render = (request: RenderRequest) => Promise<string | null>

/** Above this a document is shown as text: a tree of it would take hundreds of megabytes. */
const MOST_CHARACTERS = 2_000_000

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** What is shown of a text from a document: rendered and sanitised, or where that takes too long, as it is. */
export async function shownContent(
  kind: RenderRequest['kind'],
  text: string,
  cited: readonly Span[],
  render: Render,
): Promise<string> {
  const rendered = text.length > MOST_CHARACTERS ? null : await render({ kind, text, cited })
  if (rendered !== null) return rendered
  const shown = `<pre>${escapeText(text.slice(0, MOST_CHARACTERS))}</pre>`
  const cut = text.length > MOST_CHARACTERS ? ', and what is beyond two million characters is left out' : ''
  return `<p><em>Too large or too deeply nested to be rendered: this is the text${cut}.</em></p>${shown}`
}
