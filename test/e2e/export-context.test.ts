import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ContextReceipt } from '#src/corpus/context/receipt.ts'
import type { ExportManifest } from '#src/corpus/export/export-manifest.ts'
import { openEncoding } from '#src/corpus/tokens/encodings.ts'
import {
  type ChatReply,
  type ChatRequest,
  type ChatService,
  contextFor,
  startChatService,
  TOKENS_EACH,
} from '../support/chat-service.ts'
import { REDIS_CACHE_DIR } from '../support/redis.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { elapse, until } from '../support/wait.ts'

const KEY = 'sk-contexts-4711-secret'

const CHUNKED = 'export --chunks --out corpus --limit 150 --context --context-tokens 30'.split(' ')

/** Chunks of the corpus: each document has that many paragraphs that fill a chunk. */
const DOCUMENTS = 6
const EACH = 8
const CHUNKS = DOCUMENTS * EACH

/**
 * Shares of the contexts after which the process is killed; `CONTEXT_KILLS=0.2,0.5,0.8` for more. The limiter releases
 * the permits of a dead process after 15 s.
 */
const KILLS = (process.env['CONTEXT_KILLS'] ?? '0.5').split(',').map(Number)

interface Line {
  readonly id: string
  readonly text: string
  readonly body: string
  readonly context: string | null
  readonly tokens: number
}

describe('sluice export --context', { timeout: 240_000 }, () => {
  const folder = tempFolder()
  let at = ''

  beforeAll(async () => {
    at = (await folder).path
    await mkdir(join(at, 'papers'))
    for (let document = 0; document < DOCUMENTS; document++) {
      const paragraph = (number: number): string =>
        `## Part ${number} of ${document}\n\n${`Lock ${document} and gate ${number} are old. `.repeat(8)}`
      const text = Array.from({ length: EACH }, (_, number) => paragraph(number)).join('\n\n')
      await writeFile(join(at, `papers/${document}.md`), `${text}\n`)
    }
    const { code, stderr } = await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at, env })
    expect(code, stderr).toBe(0)
  }, 240_000)
  afterAll(async () => (await folder)[Symbol.asyncDispose]())

  const env = { SLUICE_CACHE_DIR: REDIS_CACHE_DIR }
  /** Each test has a model of its own: contexts are bought for each anew. */
  const args = (service: ChatService, model: string, ...more: readonly string[]): string[] => [
    ...CHUNKED,
    '--to',
    model,
    '--context-url',
    service.url,
    '--context-model',
    model,
    ...more,
  ]
  const exported = async (service: ChatService, model: string, ...more: readonly string[]) =>
    sluice(args(service, model, ...more), { cwd: at, env: { ...env, SLUICE_CONTEXT_KEY: KEY } })
  const linesOf = async (model: string): Promise<readonly Line[]> =>
    (await readFile(join(at, model, 'chunks.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
  const manifestOf = async (model: string): Promise<ExportManifest> =>
    JSON.parse(await readFile(join(at, model, 'manifest.json'), 'utf8')) as ExportManifest

  const filesBelow = async (path: string): Promise<readonly string[]> => {
    const dirents = await readdir(path, { recursive: true, withFileTypes: true })
    return dirents.flatMap((each) => (each.isFile() ? [join(each.parentPath, each.name)] : []))
  }
  const receiptsOf = async (model: string): Promise<readonly ContextReceipt[]> => {
    const files = await filesBelow(join(at, 'corpus/contexts')).catch(() => [])
    const texts = await Promise.all(
      files.filter((name) => name.endsWith('.json')).map((name) => readFile(name, 'utf8')),
    )
    return texts.map((text) => JSON.parse(text) as ContextReceipt).filter((receipt) => receipt.model === model)
  }

  /** Prompts that were charged more than once. */
  const boughtTwice = ({ charges }: ChatService): number =>
    charges.length - new Set(charges.map(({ prompt }) => prompt)).size

  test('puts before each chunk what the model writes, within the limit, and asks nothing the second time', async () => {
    await using service = await startChatService()
    const first = await exported(service, 'whole')
    expect(first.code, first.stderr).toBe(0)
    expect(first.stdout).toContain(`${CHUNKS} contexts written for 48,000 tokens, 0 kept from before`)
    expect(
      service.requests.every(
        ({ path, authorization }) => path === '/v1/chat/completions' && authorization === `Bearer ${KEY}`,
      ),
    ).toBe(true)
    expect(service.requests[0]?.body).toMatchObject({ model: 'whole', temperature: 0, max_tokens: 300 })
    const counter = await openEncoding('o200k_base')
    const lines = await linesOf('whole')
    expect(lines).toHaveLength(CHUNKS)
    const contexts = new Set(service.requests.map(({ prompt }) => contextFor(prompt)))
    for (const { text, body, context, tokens } of lines) {
      expect(contexts).toContain(context)
      expect([text.startsWith(`${context}\n\n`), text.endsWith(body), counter.count(text), tokens <= 150]).toEqual([
        true,
        true,
        tokens,
        true,
      ])
    }
    const second = await exported(service, 'whole')
    expect(second.stdout).toContain(`0 contexts written for 0 tokens, ${CHUNKS} kept from before`)
    expect(await linesOf('whole')).toEqual(lines)
    expect(service.requests).toHaveLength(CHUNKS)
    expect((await manifestOf('whole')).totals.contexts).toEqual({ bought: 0, kept: CHUNKS, missing: 0, tokens: 0 })
    // The same chunks have the same ids without contexts.
    await sluice(['export', '--chunks', '--out', 'corpus', '--to', 'plain', '--limit', '120'], { cwd: at, env })
    expect((await linesOf('plain')).map(({ id }) => id).toSorted()).toEqual(lines.map(({ id }) => id).toSorted())
  })

  test('keeps the key out of everything that it writes', async () => {
    await using service = await startChatService(({ number }) =>
      number > 5
        ? { status: 401, body: { error: { message: `Incorrect API key: ${KEY}`, code: 'invalid_api_key' } } }
        : {},
    )
    const { code, stdout, stderr } = await exported(service, 'refused')
    expect([code, stdout + stderr]).toEqual([
      3,
      expect.stringMatching(/without context: \d+ chunks \(.*401 \(invalid_api_key\)/),
    ])
    expect(service.requests.length).toBeLessThan(CHUNKS)
    expect((await receiptsOf('refused')).length).toBe(service.charges.length)
    const files = [...(await filesBelow(join(at, 'corpus'))), ...(await filesBelow(join(at, 'refused')))]
    const found: string[] = []
    for (const name of files) if ((await readFile(name).catch(() => Buffer.alloc(0))).includes(KEY)) found.push(name)
    expect(found).toEqual([])
    expect(stdout + stderr).not.toContain(KEY)
    const manifest = await manifestOf('refused')
    expect(manifest.cursor).toBeNull()
  })

  test('waits as 429 and Retry-After say, and loses no chunk', async () => {
    const refused = new Map<string, number>()
    const waited: number[] = []
    const answer = ({ number, prompt, atMs }: ChatRequest): ChatReply => {
      const since = refused.get(prompt)
      if (since !== undefined) waited.push(atMs - since)
      refused.delete(prompt)
      if (number % 12 === 4) {
        refused.set(prompt, atMs)
        return { status: 429, headers: number === 4 ? { 'retry-after': '2' } : { 'retry-after-ms': '1500' } }
      }
      return number % 12 === 9 ? { status: 503 } : {}
    }
    await using service = await startChatService(answer)
    const { code, stdout, stderr } = await exported(service, 'throttled', '--context-concurrency', '2')
    expect(code, stderr + stdout).toBe(0)
    expect(waited.length).toBeGreaterThan(3)
    expect(Math.min(...waited)).toBeGreaterThan(1400)
    expect(Math.max(...waited)).toBeGreaterThan(1900)
    expect(service.mostInFlight()).toBeLessThanOrEqual(2)
    expect((await linesOf('throttled')).filter(({ context }) => context === null)).toEqual([])
    expect([service.charges.length, boughtTwice(service)]).toEqual([CHUNKS, 0])
  })

  test('stops at the budget, exports the rest without a context, and goes on with the next one', async () => {
    await using service = await startChatService()
    const budget = ['--context-max-tokens', String(10 * TOKENS_EACH)]
    const { code, stdout } = await exported(service, 'capped', ...budget)
    expect([code, stdout]).toEqual([3, expect.stringContaining('does not cover the next request')])
    expect(service.charges.length).toBeGreaterThan(4)
    expect(service.charges.length * TOKENS_EACH).toBeLessThanOrEqual(10 * TOKENS_EACH)
    expect(await linesOf('capped')).toHaveLength(CHUNKS)
    expect((await exported(service, 'capped')).code).toBe(0)
    expect([service.charges.length, boughtTwice(service)]).toEqual([CHUNKS, 0])
    expect((await linesOf('capped')).filter(({ context }) => context === null)).toEqual([])
  })

  test('buys nothing twice whose answer had come before a SIGKILL', async () => {
    await using service = await startChatService(() => ({ delayMs: 40 }))
    let kills = 0
    for (const share of KILLS) {
      const running = startSluice(args(service, 'killed', '--context-concurrency', '4'), {
        cwd: at,
        env: { ...env, SLUICE_CONTEXT_KEY: KEY },
      })
      await until('some are bought', 60_000, async () => service.charges.length >= CHUNKS * share)
      const kept = new Set((await receiptsOf('killed')).map(({ chunk }) => chunk)).size
      running.child.kill('SIGKILL')
      const { signal } = await running.finished
      kills += signal === 'SIGKILL' ? 1 : 0
      expect((await receiptsOf('killed')).length).toBeGreaterThanOrEqual(kept)
    }
    expect(kills).toBe(KILLS.length)
    await elapse(100, 'requests of the killed process may still reach the service')
    const receipts = (await receiptsOf('killed')).length
    const charged = service.charges.length
    // In doubt is only what was in flight: four at each kill.
    expect(charged - receipts).toBeLessThanOrEqual(4 * KILLS.length)
    const { code, stderr } = await exported(service, 'killed')
    expect(code, stderr).toBe(0)
    expect(service.charges.length - charged).toBe(CHUNKS - receipts)
    expect((await linesOf('killed')).filter(({ context }) => context === null)).toEqual([])
  })

  test('says in one sentence what is missing, and sends nothing', async () => {
    const asked = async (...more: readonly string[]) =>
      sluice(['export', '--chunks', '--out', 'corpus', '--to', 'none', ...more], { cwd: at, env })
    const none = await asked('--context')
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('--context needs a model: set --context-url and --context-model'),
    ])
    const login = await asked('--context', '--context-url', 'http://me:secret@127.0.0.1:9/v1', '--context-model', 'm')
    expect([login.code, login.stderr]).toEqual([1, expect.stringContaining('--context-url holds a login')])
    expect(login.stderr).not.toContain('secret@')
  })
})
