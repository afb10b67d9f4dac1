/** A service that answers every parse at once with the same document: what is measured is everything around it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const answer = Buffer.from(
  JSON.stringify({
    success: true,
    data: {
      markdown: '# A document\n\n' + 'Water is held back by a gate and let through a sluice. '.repeat(180),
      metadata: { title: 'A document', statusCode: 200, contentType: 'text/html', creditsUsed: 1 },
    },
  }),
)

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
