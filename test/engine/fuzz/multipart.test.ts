import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, expect, test, vi } from 'vitest'
import { createEngine } from '#src/engine/create-engine.ts'
import { Random } from '../../support/random.ts'
import { randomRequest, type RandomRequest } from './random-request.ts'
import { seedFrom } from '../../support/seed.ts'
import { shared } from '../../support/shared.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const CASES = 10_000
const IN_FLIGHT = 16
const ANSWER_WITHIN_MS = 90_000
/** No 500: whatever the sender did is the sender's fault, and we know it. */
const EXPECTED = new Set([200, 400, 408, 413, 422])
const seed = seedFrom('FUZZ_SEED', 'fresh')

const { path: folder } = await shared(tempFolder())
const engine = await shared(createEngine({ temporaryFolder: folder, children: 1 }))
const agent = new Agent({ connections: IN_FLIGHT, bodyTimeout: ANSWER_WITHIN_MS, headersTimeout: ANSWER_WITHIN_MS })
afterAll(() => agent.close())

async function send({ contentType, body }: RandomRequest): Promise<number> {
  const headers = { 'content-type': contentType }
  const answer = await request(`${engine.url}/v2/parse`, { method: 'POST', headers, body, dispatcher: agent })
  const json = (await answer.body.json()) as { readonly success?: unknown; readonly error?: unknown }
  const isContractual =
    answer.statusCode === 200 ? json.success === true : json.success === false && typeof json.error === 'string'
  if (!isContractual || !EXPECTED.has(answer.statusCode))
    throw new Error(`${answer.statusCode} ${JSON.stringify(json)}`)
  return answer.statusCode
}

async function expectNothingLeft(): Promise<void> {
  await vi.waitFor(async () => {
    const [own = ''] = await readdir(folder)
    expect((await readdir(join(folder, own))).filter((name) => name !== 'cache')).toEqual([])
  }, 60_000)
}

test(
  `${CASES} random uploads each get an answer in the contract's shape (seed ${seed})`,
  { timeout: 240_000 },
  async () => {
    console.log(`FUZZ_SEED=${seed}`)
    const random = new Random(seed)
    const counts = new Map<number, number>()
    let next = 0
    const work = async (): Promise<void> => {
      while (next < CASES) {
        next += 1
        const number = next
        const sent = randomRequest(random)
        const status = await send(sent).catch((error: unknown) => {
          throw new Error(`case ${number}: ${sent.contentType} ${sent.body.toString('base64')}`, { cause: error })
        })
        counts.set(status, (counts.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, work))
    console.log(Object.fromEntries(counts))
    expect(counts.get(200) ?? 0).toBeGreaterThan(100)
    expect(counts.get(400) ?? 0).toBeGreaterThan(1000)
    await expectNothingLeft()
  },
)

test('uploads that are cut off in the middle leave nothing behind in the engine', async () => {
  const port = Number(new URL(engine.url).port)
  const head = `POST /v2/parse HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${'x,y\n'.repeat(500)}`
  const random = new Random(seed)
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const socket = connect(port, '127.0.0.1')
      await new Promise((resolve) =>
        socket.write((head + body).slice(0, random.below(head.length + body.length)), resolve),
      )
      socket.destroy()
    }),
  )
  await expectNothingLeft()
  expect(await (await fetch(`${engine.url}/healthz`)).json()).toEqual({ status: 'ok' })
})
