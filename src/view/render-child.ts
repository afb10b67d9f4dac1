import { exitWithParent, sendToParent } from '@sluice/engine/pages'
import type { RenderRequest } from './content.ts'
import { renderHtml, renderMarkdown } from './render-markdown.ts'

/*
 * Entry point of a child process that renders documents: a small hostile text may block a parser for hours. The parent
 * kills it instead of stopping it.
 */

exitWithParent()
process.on('message', (message) => {
  const { kind, text, cited } = message as RenderRequest
  sendToParent(kind === 'markdown' ? renderMarkdown(text, cited) : renderHtml(text))
})
