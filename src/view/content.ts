import type { Span } from './citation.ts'

/** The module whose process renders documents (`Render`). */
export const RENDER_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './render-child.ts' : './render-child.js',
  import.meta.url,
)

/** What the process that renders is asked. */
export interface RenderRequest {
  readonly kind: 'markdown' | 'html'
  readonly text: string
  readonly cited: readonly Span[]
}

/** Sanitised HTML; null where the process was ended at a limit of time or memory. */
export type Render = (request: RenderRequest) => Promise<string | null>

/** Above this a document is not rendered as a whole: a tree of it would take hundreds of megabytes. */
const MOST_CHARACTERS = 2_000_000

/** Of a larger document its first lines are rendered, up to this: some thousand rows of a table. */
const FIRST_CHARACTERS = 100_000

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * What is shown of a text from a document: rendered and sanitised, of a large one the first lines; where that takes too
 * long, the text itself.
 */
export async function shownContent(
  kind: RenderRequest['kind'],
  text: string,
  cited: readonly Span[],
  render: Render,
): Promise<string> {
  const isWhole = text.length <= MOST_CHARACTERS
  const part = isWhole ? text : firstLines(text)
  const rendered = await render({ kind, text: part, cited })
  if (rendered !== null && isWhole) return rendered
  if (rendered !== null) return `<p><em>Too large to be shown: these are its first lines.</em></p>${rendered}`
  const shown = `<pre>${escapeText(text.slice(0, MOST_CHARACTERS))}</pre>`
  const cut = isWhole ? '' : ', and what is beyond two million characters is left out'
  return `<p><em>Too large or too deeply nested to be rendered: this is the text${cut}.</em></p>${shown}`
}

function firstLines(text: string): string {
  const end = text.lastIndexOf('\n', FIRST_CHARACTERS)
  return text.slice(0, end < 0 ? FIRST_CHARACTERS : end)
}
