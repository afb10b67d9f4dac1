import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { signatureHeaders } from '#src/notify/cloud-event.ts'
import { Harness } from '../outages/support/harness.ts'
import { listen } from '../support/listen.ts'
import { startTestRedis } from '../support/redis.ts'
import { until } from '../support/wait.ts'

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly event: {
    readonly id: string
    readonly type: string
    readonly subject?: string
    readonly data: Record<string, unknown>
  }
}

/** A receiver of notices. `answer` ends the response, or lets it hang. */
async function receiver(answer: (number: number, response: ServerResponse) => void) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      received.push({ headers: request.headers, body, event: JSON.parse(body) as Received['event'] })
      answer(received.length, response)
    })
  })
  const listening = await listen(server)
  return {
    received,
    url: listening.url,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}

const SECRET = 'a secret of notices'
const all = 'run.ended,run.halted,document.failed,document.changed'

describe('notices', () => {
  test('tell changed and failed documents and the end of a run, signed and without secrets', async () => {
    await using harness = await Harness.open({
      documents: 3,
      reply: ({ file }) =>
        file?.content?.includes('<p>1 ') === true ? { status: 422, body: { code: 'X', error: 'no' } } : {},
    })
    await using target = await receiver((_, response) => response.writeHead(204).end())
    const url = target.url.replace('http://', 'http://me:hidden@')
    const run = await harness.run(
      { 'notify-url': url, 'notify-events': all },
      { env: { SLUICE_NOTIFY_SECRET: SECRET } },
    )
    expect(run.code).toBe(2)
    const taken = target.received.map(({ event }) => [
      event.type,
      event.subject,
      event.data['code'] ?? event.data['kind'],
    ])
    expect(taken).toHaveLength(4)
    expect(taken).toEqual(
      expect.arrayContaining([
        ['sluice.document.changed', '0.html', undefined],
        ['sluice.document.changed', '2.html', undefined],
        ['sluice.document.failed', '1.html', 'service_rejected'],
        ['sluice.run.ended', undefined, 'complete'],
      ]),
    )
    for (const { headers, body, event } of target.received) {
      const stamp = headers['webhook-timestamp']
      const signature = createHmac('sha256', SECRET)
        .update(`${event.id}.${String(stamp)}.${body}`)
        .digest('base64')
      expect(headers).toMatchObject({
        'content-type': 'application/cloudevents+json; charset=utf-8',
        authorization: `Basic ${Buffer.from('me:hidden').toString('base64')}`,
        'webhook-id': event.id,
        'webhook-signature': `v1,${signature}`,
      })
      expect(body).not.toMatch(/hidden|a secret of/)
    }
    const said = run.stdout + run.stderr + (await readFile(harness.log, 'utf8').catch(() => ''))
    expect(said).not.toMatch(/hidden|a secret of/)
  }, 120_000)

  test('reach a receiver that failed, redirected and hung before, also after the process that met the events', async () => {
    await using harness = await Harness.open({ documents: 4 })
    await using redis = await startTestRedis()
    let isUp = false
    await using target = await receiver((number, response) => {
      if (isUp) response.writeHead(200).end('x'.repeat(10_000))
      else if (number % 3 === 0) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      else if (number % 3 === 1) response.writeHead(500).end()
    })
    const flags = { 'notify-url': target.url, 'notify-events': all, 'redis-url': redis.url }
    const began = Date.now()
    const first = await harness.run(flags)
    expect(first.code).toBe(0)
    expect(first.stderr).toMatch(/notices: http:\/\/127\.0\.0\.1:\d+ (?:answered (?:500|302)|did not answer)/)
    expect(Date.now() - began).toBeLessThan(60_000)
    isUp = true
    const before = target.received.length
    await writeFile(`${harness.source}/new.html`, '<p>new')
    // The notices of the first run are due again within seconds.
    const watching = harness.start('watch', { ...flags, 'stable-ms': 50 })
    const subjects = (): Set<string | undefined> =>
      new Set(target.received.slice(before).map(({ event }) => event.subject ?? event.type))
    const wanted = ['0.html', '1.html', '2.html', '3.html', 'new.html', 'sluice.run.ended']
    await until('all notices arrive', 120_000, () => wanted.every((subject) => subjects().has(subject)))
    watching.child.kill('SIGTERM')
    await watching.finished
  }, 180_000)

  test('carry the signature of the example of Standard Webhooks', () => {
    const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl'
    const body = '{"event_type":"ping","data":{"success":true}}'
    expect(signatureHeaders({ id: 'msg_loFOjxBNrRLzqYUf', body }, secret, 1731705121)['webhook-signature']).toBe(
      'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    )
  })
})
