import { endWithParent, sendToParent } from '@sluice/engine/pages'
import type { RenderRequest } from './content.ts'
import { renderHtml, renderMarkdown } from './render-markdown.ts'

/* Entry point of a child process that renders documents: a parser may take hours for some small text. It is killed, never asked to stop. */

endWithParent()
process.on('message', (message) => {
  const { kind, text, cited } = message as RenderRequest
  sendToParent(kind === 'markdown' ? renderMarkdown(text, cited) : renderHtml(text))
})
