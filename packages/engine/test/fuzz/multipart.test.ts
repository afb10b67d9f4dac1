import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, expect, test, vi } from 'vitest'
import { createEngine } from '../../src/server/create-engine.ts'
import { Random } from '../../../../test/support/random.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { shared } from '../../../../test/support/shared.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

interface RandomRequest {
  readonly contentType: string
  readonly body: Buffer
}

const NAMES = [
  'file',
  'options',
  'File',
  'files[]',
  '__proto__',
  'constructor',
  'toString',
  '',
  'x'.repeat(300),
  'fi le',
]
const FILE_NAMES = [
  'a.csv',
  'a.CSV',
  'a.csv\u0000.pdf',
  '../../etc/passwd',
  'ü.csv',
  'a',
  '.csv',
  'a.exe',
  'C:\\x\\a.csv',
  '%00.csv',
]
const TYPES = [
  'text/csv',
  'application/json',
  'application/octet-stream',
  'text/plain; charset=nonsense',
  'multipart/mixed',
  ';;;',
  '',
]
const OPTIONS = [
  '{}',
  '[]',
  'null',
  '"x"',
  '{',
  '{"formats":["markdown","links"]}',
  '{"formats":"markdown"}',
  '{"formats":[{"type":"json","schema":{"$ref":"#/nowhere"}}]}',
  '{"formats":[{"type":"json","schema":{"type":7}}]}',
  '{"timeout":-1}',
  '{"timeout":1e999}',
  '{"parsers":["pdf"]}',
  '{"parsers":[]}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"includeTags":["::::","[","a b > c"]}',
  `{"origin":"${'o'.repeat(5000)}"}`,
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
]
const BREAKS = ['\r\n', '\n', '\r', '\r\n\r\n', '']
const DISPOSITIONS = ['form-data', 'attachment', 'form-data; form-data', '', 'form-data; name=file']

function partHeader(random: Random, name: string): string {
  const isUsual = random.chance(0.7)
  const disposition = isUsual ? 'form-data' : random.pick(DISPOSITIONS)
  const fileName = name === 'file' || random.chance(0.2) ? `; filename="${random.pick(FILE_NAMES)}"` : ''
  const type = random.chance(0.6) ? `Content-Type: ${random.pick(TYPES)}\r\n` : ''
  const lineEnd = isUsual ? '\r\n' : random.pick(BREAKS)
  return `Content-Disposition: ${disposition}; name="${name}"${fileName}${lineEnd}${type}`
}

function part(random: Random): Buffer {
  const name = random.pick(random.chance(0.6) ? ['file', 'options'] : NAMES)
  const content = name === 'options' ? random.pick(OPTIONS) : 'a,b\n1,2\n'
  const body = random.chance(0.1) ? random.bytes(random.below(200)) : Buffer.from(content)
  return Buffer.concat([Buffer.from(`${partHeader(random, name)}\r\n`), body, Buffer.from('\r\n')])
}

/** What a broken line or a hostile sender does to bytes. */
function damage(random: Random, body: Buffer): Buffer {
  switch (random.below(5)) {
    case 0:
      return body.subarray(0, random.below(body.length + 1))
    case 1: {
      const flipped = Buffer.from(body)
      for (let count = random.below(8); count >= 0; count -= 1) flipped[random.below(body.length)] = random.below(256)
      return flipped
    }
    case 2: {
      const at = random.below(body.length)
      return Buffer.concat([body.subarray(0, at), random.bytes(random.below(64)), body.subarray(at)])
    }
    case 3: {
      const [from, to] = [random.below(body.length), random.below(body.length)].sort((a, b) => a - b)
      return Buffer.concat([body.subarray(0, from), body.subarray(to)])
    }
    default:
      return Buffer.concat([body, body.subarray(random.below(body.length))])
  }
}

/** A request that is nearly, or not at all, a multipart upload. */
function randomRequest(random: Random): RandomRequest {
  const boundary = random.chance(0.9) ? 'xYzBoundary' : random.bytes(4).toString('hex')
  const parts = Array.from({ length: random.below(5) }, () => part(random))
  const whole = Buffer.concat([
    ...parts.flatMap((bytes) => [Buffer.from(`--${boundary}\r\n`), bytes]),
    Buffer.from(random.chance(0.9) ? `--${boundary}--\r\n` : ''),
  ])
  const announced = random.chance(0.92) ? boundary : random.pick(['', '"', 'other', 'a'.repeat(200)])
  const contentType = random.chance(0.96)
    ? `multipart/form-data; boundary=${announced}`
    : random.pick(['multipart/form-data', 'application/json', 'text/plain', 'multipart/mixed; boundary=x', 'nonsense'])
  return { contentType, body: whole.length > 0 && random.chance(0.5) ? damage(random, whole) : whole }
}

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

test('truncated uploads leave nothing in the engine', async () => {
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
