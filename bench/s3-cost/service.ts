import { parsedReply, type ScriptedService, startScriptedService } from '../../test/support/scripted-service.ts'

const MARKDOWN = `# A document\n\n${'Water is held back by a gate and let through a sluice. '.repeat(80)}`

const block = {
  id: 'p1.b0',
  type: 'text',
  label: null,
  bbox: [0, 0, 1, 1],
  content: MARKDOWN,
  markdownSpan: [0, MARKDOWN.length],
  readingOrder: 0,
  source: null,
  confidence: { layout: null, ocr: null },
}

/** A service that answers each parse at once: with pages and blocks where they were asked for. Ends with the program. */
export function startService(): Promise<ScriptedService> {
  return startScriptedService({
    answers: ({ options }) => {
      const asked = JSON.stringify(options)
      const pages = [{ pageNumber: 1, markdown: MARKDOWN }]
      const blocks = [{ pageNumber: 1, width: 612, height: 792, status: 'ok', items: [block] }]
      return parsedReply(MARKDOWN, {
        ...(asked.includes('"pages"') ? { pages } : {}),
        ...(asked.includes('"blocks"') ? { blocks } : {}),
        metadata: { statusCode: 200, creditsUsed: 1 },
      })
    },
  })
}
