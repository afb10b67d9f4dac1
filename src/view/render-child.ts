import type { Span } from './citation.ts'
import { renderHtml, renderMarkdown } from './render-markdown.ts'

/* Entry point of a child process that renders documents: a parser may take hours for some small text. It is killed, never asked to stop. */

export interface RenderRequest {
  readonly kind: 'markdown' | 'html'
  readonly text: string
  readonly cited: readonly Span[]
}

process.on('disconnect', () => process.exit(1))
process.on('message', (message) => {
  const { kind, text, cited } = message as RenderRequest
  process.send?.(kind === 'markdown' ? renderMarkdown(text, cited) : renderHtml(text))
})
