import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { ALLOCATOR, NODE_FLAGS } from '../../../src/kit/node-process.ts'
import { csvFile, parseWith } from './support/engine-client.ts'
import { childrenOf, commandLine, environmentOf, isAlive } from '../../../test/support/process-tree.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { MAIN } from '../../../test/support/sluice.ts'
import { listening, spawnEngine, startEngine } from './support/engine-process.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

test('the engine and its children end with the process that started them, even when that is killed', async () => {
  // `startEngine` run by another process, which is then killed with no chance to tidy up.
  const script = `import(${JSON.stringify(new URL('./support/engine-process.ts', import.meta.url).href)})
    .then(({ startEngine }) => startEngine()).then(({ pid }) => console.log(pid))`
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const engine = Number(line.toString())
  const children = await childrenOf(engine)
  expect(children.length).toBe(1)
  parent.kill('SIGKILL')
  await vi.waitFor(() => expect([engine, ...children].filter(isAlive)).toEqual([]), 60_000)
})

test('the engine ends without a stack trace when its parent process ends before it listens', async () => {
  await using folder = await tempFolder()
  const env = { ...process.env, TMPDIR: folder.path }
  const child = spawnEngine({}, env)
  child.stdout.destroy()
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  expect([await once(child, 'close'), log]).toEqual([[0, null], ''])
  expect(await readdir(folder.path)).toEqual([])
})

test('the engine leaves nothing of a document on disk or in the log after its answer', async () => {
  await using folder = await tempFolder()
  const engine = await startEngine({ logLevel: 'debug' }, { ...process.env, TMPDIR: folder.path })
  const marker = 'f3a91c'
  const options = { zeroDataRetention: true, formats: ['markdown', 'html', 'rawHtml'] }
  const whole = await parseWith(engine, { file: csvFile(`${marker}.csv`, `a,${marker}\n1,2\n`), options })
  const damaged = new File([`PK\u0003\u0004${marker}`], `${marker}.docx`)
  expect([whole.status, (await parseWith(engine, { file: damaged, options })).status]).toEqual([200, 400])
  const files = await readdir(folder.path, { recursive: true, withFileTypes: true })
  expect(files.filter((dirent) => dirent.isFile()).map(({ name }) => name)).toEqual([])
  expect(engine.log()).not.toContain(marker)
  await engine[Symbol.asyncDispose]()
  expect(await readdir(folder.path)).toEqual([])
})

test('the children of the engine end when the engine itself is killed', async () => {
  const engine = await startEngine()
  const children = await childrenOf(engine.pid)
  engine.process.kill('SIGKILL')
  await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), 60_000)
})

test('the children of the engine get the Node and malloc settings of launcher and image, whatever starts it', async () => {
  const { MALLOC_ARENA_MAX: _, ...env } = process.env
  await using engine = await startEngine({}, env)
  for (const child of await childrenOf(engine.pid)) {
    expect(await commandLine(child)).toEqual(expect.arrayContaining([...NODE_FLAGS]))
    expect(Object.fromEntries(await environmentOf(child))).toMatchObject(ALLOCATOR)
  }
  const launcher = await readFile(join(ROOT, 'scripts/run-node.sh'), 'utf8')
  expect(launcher).toContain(`exec "$node" ${NODE_FLAGS.join(' ')} `)
  const image = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  expect(image).toContain(`ENTRYPOINT ["node", ${NODE_FLAGS.map((flag) => `"${flag}"`).join(', ')}, `)
  for (const [name, value] of Object.entries(ALLOCATOR)) {
    expect(launcher).toContain(`export ${name}="\${${name}:-${value}}"`)
    expect(image).toContain(`${name}=${value}`)
  }
})

/** A request whose head and first part of the body are sent; the rest follows where `finish` is called. */
async function beginParse(url: string) {
  const boundary = 'xyz'
  const name = 'content-disposition: form-data; name="file"; filename="a.csv"'
  const [first, rest] = [`--${boundary}\r\n${name}\r\n\r\nname,age\n`, `Ada,36\n\r\n--${boundary}--\r\n`]
  const request = httpRequest(`${url}/v2/parse`, {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': first.length + rest.length,
    },
  })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => undefined)
  request.write(first)
  await once(request, 'socket')
  // Answered after the head of the other has come in: both go over loopback, in this order.
  await fetch(`${url}/v2/parse/formats`)
  return { answered, finish: () => request.end(rest) }
}

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  'at %s the engine finishes requests in flight, refuses new ones, reports draining, and exits with 0',
  async (signal) => {
    const engine = await startEngine()
    const exit = once(engine.process, 'exit')
    const parse = await beginParse(engine.url)
    engine.process.kill(signal)
    await vi.waitFor(async () => expect((await fetch(`${engine.url}/healthz`)).status).toBe(503), 30_000)
    // As "timeout" sends it, to the process and to its group.
    engine.process.kill('SIGTERM')
    expect(await (await fetch(`${engine.url}/healthz`)).json()).toEqual({ status: 'draining' })
    const refused = await fetch(`${engine.url}/v2/parse`, { method: 'POST', body: 'x' })
    expect([refused.status, refused.headers.get('connection'), refused.headers.get('retry-after')]).toEqual([
      503,
      'close',
      '1',
    ])
    parse.finish()
    const [answer] = await parse.answered
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close'])
    expect(await new Response(Readable.toWeb(answer) as ReadableStream).json()).toMatchObject({ success: true })
    expect(await exit).toEqual([0, null])
  },
)

test('the engine ends after the grace period, whatever is in flight', async () => {
  const env = { ...process.env, SLUICE_GRACE_MS: '50' }
  const engine = await listening(spawn(process.execPath, [MAIN, 'engine'], { stdio: 'pipe', env }))
  const exit = once(engine.process, 'exit')
  const parse = await beginParse(engine.url)
  engine.process.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  await expect(parse.answered).rejects.toThrow(/socket hang up|ECONNRESET/)
})
