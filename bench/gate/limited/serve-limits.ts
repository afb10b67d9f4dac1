import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LimitedService } from './limited-service.ts'
import type { LimitedPlan } from './service-plan.ts'

/*
 * node bench/gate/limited/serve-limits.ts '<plan as JSON>'
 *
 * A service of `POST /v2/parse` with the limits of a plan, in a process of its own. Documents name themselves:
 * `<!-- document NAME -->`. `POST /begin` starts its time; `GET /report` says what it saw.
 */

const service = new LimitedService(JSON.parse(process.argv[2] ?? '{}') as LimitedPlan)

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const reply = (status: number, headers: Readonly<Record<string, string>>, body: object): void => {
    const text = JSON.stringify(body)
    response.writeHead(status, {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  }
  if (request.url === '/begin') {
    service.begin()
    return reply(200, {}, {})
  }
  if (request.url === '/report') return reply(200, {}, service.report())
  if (request.url !== '/v2/parse') return reply(404, {}, { success: false, error: 'Not Found' })
  const document = /<!-- document (\S+) -->/.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? ''
  const answer = await service.answer(document)
  reply(answer.status, answer.headers, answer.body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as AddressInfo).port}`))
