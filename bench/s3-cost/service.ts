import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

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
export async function startService(): Promise<string> {
  const server = createServer()
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const asked = await textOf(request)
    const pages = [{ pageNumber: 1, markdown: MARKDOWN }]
    const blocks = [{ pageNumber: 1, width: 612, height: 792, status: 'ok', items: [block] }]
    const data = {
      markdown: MARKDOWN,
      ...(asked.includes('"pages"') ? { pages } : {}),
      ...(asked.includes('"blocks"') ? { blocks } : {}),
      metadata: { statusCode: 200, creditsUsed: 1 },
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, data }))
  })
  server.unref()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
