import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { errorReply, parsedReply, type Reply } from '../support/scripted-service.ts'
import { type Finished, sluice } from '../support/sluice.ts'
import { openSite } from '../support/web-site.ts'

const html = (status: number, title: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><title>${title}</title><body>no`,
})

/** What services and the proxies before them answer to one document that they do not take. */
const REFUSALS: readonly (readonly [string, Reply])[] = [
  ['403 of a blocklist, without a code', errorReply(403, 'We apologize, but we do not support this site.')],
  ['403 unsafe_domain_blocked', errorReply(403, 'blocked', { code: 'unsafe_domain_blocked' })],
  ['403 UNSUPPORTED_SITE', errorReply(403, 'no', { code: 'UNSUPPORTED_SITE' })],
  ['403 of a firewall', html(403, 'Attention Required! | Cloudflare')],
  ['404 SCRAPE_NO_CACHED_DATA', errorReply(404, 'no', { code: 'SCRAPE_NO_CACHED_DATA' })],
  ['404 Not Found', errorReply(404, 'Not Found')],
  ['404 of a proxy', html(404, 'Not Found')],
  ['405', errorReply(405, 'Method Not Allowed')],
  ['400 on the URL', errorReply(400, 'Bad Request', { details: [{ path: ['url'], message: 'Invalid URL' }] })],
  ['400 of a new code', errorReply(400, 'no', { code: 'a_code_of_2027' })],
]

const DOCUMENTS = 24

const PAGE = { headers: { 'content-type': 'text/html' }, body: '<p>a page' }

interface Case extends AsyncDisposable {
  /** Requests that the service had. */
  readonly asked: () => number
  readonly run: () => Promise<Finished>
  readonly out: string
  /** Of `status`. */
  readonly args: readonly string[]
}

/** Files, or URLs; whether one is refused is determined by its number. */
async function prepare(
  kind: 'files' | 'URLs',
  refusalOf: (number: number) => Reply | null,
  documents = DOCUMENTS,
): Promise<Case> {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const service = resources.use(
    await openSite((path, body) => {
      if (!path.startsWith('/v2/')) return PAGE
      const number = Number(/number (\d+)|\/(\d+)\.html/.exec(body)?.slice(1).join(''))
      const { status = 200, headers, body: answer } = refusalOf(number) ?? parsedReply(`# ${number}`)
      const isJson = typeof answer === 'object'
      return {
        status,
        headers: { 'content-type': 'application/json', ...headers },
        body: isJson ? JSON.stringify(answer) : String(answer),
      }
    }),
  )
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  const args = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'test-key', '--concurrency', '1']
  const numbers = Array.from({ length: documents }, (_, number) => number)
  if (kind === 'files') {
    for (const number of numbers) await writeFile(join(source, `${number}.html`), `<p>number ${number}`)
    args.push(source)
  } else {
    const urls = numbers.map((number) => `${service.url}/${number}.html`)
    await writeFile(join(source, 'list.txt'), urls.join('\n'))
    args.push('--from-urls', join(source, 'list.txt'), '--allow-private-addresses')
  }
  const kept = resources.move()
  return {
    asked: () => service.asked.filter((line) => line.startsWith('POST /v2/')).length,
    out,
    args: kind === 'files' ? [source, '--out', out] : [],
    run: () => sluice(['run', ...args]),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Which documents of a list are refused, and with what. */
type List = ReadonlyMap<number, Reply>

/** All refusals in one list, a document that is well between each two; `REFUSALS=each` tries each in a list of its own. */
const LISTS: readonly (readonly [string, List])[] =
  process.env['REFUSALS'] === 'each'
    ? REFUSALS.map(([name, reply]) => [name, new Map([[3, reply]])])
    : [['all of the table', new Map(REFUSALS.map(([, reply], at) => [2 * at + 1, reply]))]]

describe.each(['files', 'URLs'] as const)('a refusal of one of many %s', (kind) => {
  test.each(LISTS)(
    '(%s) fails that document alone, and does not stop the run',
    async (_, refused) => {
      await using of = await prepare(kind, (number) => refused.get(number) ?? null)
      for (const run of ['first', 'second']) {
        const { code, stdout } = await of.run()
        const { records, letters } = await readStore(of.out)
        expect([run, code, records.size, letters.size], stdout).toEqual([
          run,
          2,
          DOCUMENTS - refused.size,
          refused.size,
        ])
        for (const [key, { failure }] of letters) {
          const number = Number(/(\d+)\.html/.exec(key)?.[1])
          expect([key, failure.httpStatus]).toEqual([key, refused.get(number)?.status])
        }
      }
      // Each refused one is asked for again behind the others, and once in the next run.
      expect(of.asked()).toBeLessThanOrEqual(DOCUMENTS + 2 * refused.size)
    },
    240_000,
  )
})

/** Answers of a proxy, of a network's login page, of another port. */
const OTHERS: readonly (readonly [string, Reply])[] = [
  ['407', html(407, 'Proxy login')],
  ['400 of an HTTPS port', html(400, 'The plain HTTP request was sent to HTTPS port')],
  ['409 without a code', errorReply(409, 'Conflict')],
  ['404', html(404, 'No such service')],
  ['200 with a login page', html(200, 'Log in')],
]

describe('an answer that is not from the service', () => {
  test.each(OTHERS)(
    '(%s) halts the run without failing a document, and a later run does them all',
    async (_, reply) => {
      let isThere = true
      await using of = await prepare('files', () => (isThere ? reply : null))
      for (const run of [1, 2]) {
        const { code, stdout } = await of.run()
        expect([run, code], stdout).toEqual([run, 3])
        expect(stdout).toMatch(new RegExp(`halted: .*${reply.status}[^]*next: check`))
        expect((await readStore(of.out)).letters.size).toBe(0)
      }
      expect(of.asked()).toBeLessThanOrEqual(10)
      isThere = false
      const { code, stdout } = await of.run()
      expect(code, stdout).toBe(0)
      expect((await readStore(of.out)).records.size).toBe(DOCUMENTS)
    },
    240_000,
  )

  test('halts a run of three documents too, and fails none', async () => {
    let isThere = true
    await using of = await prepare('files', (number) => (isThere && number < 3 ? html(511, 'Log in') : null), 3)
    for (const run of [1, 2]) expect([run, (await of.run()).code]).toEqual([run, 3])
    expect((await readStore(of.out)).letters.size).toBe(0)
    isThere = false
    expect((await of.run()).code).toBe(0)
  }, 240_000)
})

describe('a run in which many documents meet the same refusal', () => {
  test('halts the run at the fifth in a row, and the next run continues', async () => {
    await using of = await prepare('files', (number) => (number < 6 ? errorReply(403, 'Forbidden') : null))
    expect((await of.run()).code).toBe(3)
    expect((await readStore(of.out)).letters.size).toBe(0)
    const again = await of.run()
    expect(again.code, again.stdout + again.stderr).toBe(2)
    const { records, letters } = await readStore(of.out)
    expect([records.size, letters.size]).toEqual([DOCUMENTS - 6, 6])
    expect((await of.run()).code).toBe(2)
  }, 240_000)
})

test('a run shows an identical unusable success after two purchases, and buys no third', async () => {
  await using of = await prepare('files', (number) => (number === 3 ? { status: 200, body: '{"data":{"mark' } : null))
  const { code, stdout } = await of.run()
  expect(code, stdout).toBe(2)
  expect(of.asked()).toBe(DOCUMENTS + 1)
  expect(stdout).toContain('2 answers missing or unusable; perhaps charged: 2 credits')
  const { letters } = await readStore(of.out)
  expect([...letters.values()].map(({ failure }) => [failure.code, failure.repeats])).toEqual([['bad_answer', true]])
  expect((await of.run()).code).toBe(2)
  expect(of.asked()).toBe(DOCUMENTS + 1)
  const status = await sluice(['status', ...of.args])
  expect(status.stdout).toMatch(/unusable answers +2\n +credits perhaps charged for them +2/)
}, 240_000)
