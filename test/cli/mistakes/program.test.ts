import { once } from 'node:events'
import { cp, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer as createWeb } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { Random } from '../../support/random.ts'
import { sluice, startSluice } from '../../support/sluice.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { type Attempt, type Environment, wrongSituation } from './wrong-situations.ts'
import { seedFrom } from '../../support/seed.ts'
import { after } from '../../support/wait.ts'

const SAMPLES = resolve(import.meta.dirname, '../../../samples')
const SEED = seedFrom('MISTAKES_SEED', 0x51)
/** 200 with `MISTAKES=200`; 20 in the suite. */
const MISTAKES = Number(process.env['MISTAKES'] ?? 20)
const AT_ONCE = 4
/** A command that is not refused is stopped after this time. */
const LIMIT_MS = 90_000

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** What is replaced by something of the other kind in a store of its own; the last one is whole. */
const ODD_NAMES = [
  'documents/boat-passages.csv/document.md',
  'documents/boat-passages.csv/record.json',
  'documents/boat-passages.csv',
  'store.json',
  'receipts',
  '.sluice/redis',
  '',
]

async function oddStores(folder: string): Promise<string[]> {
  const whole = join(folder, 'whole')
  const made = await sluice(['run', join(folder, 'papers'), '--out', whole], { cwd: folder })
  expect(made.code, made.stderr).toBe(0)
  return Promise.all(
    ODD_NAMES.map(async (name, index) => {
      const store = join(folder, `odd-${index}`)
      await cp(whole, store, { recursive: true })
      if (name === '') return store
      const path = join(store, name)
      const isFile = (await stat(path)).isFile()
      await rm(path, { recursive: true })
      await (isFile ? mkdir(path) : writeFile(path, 'no folder'))
      return store
    }),
  )
}

async function environment(folder: string, resources: AsyncDisposableStack): Promise<Environment> {
  const web = createWeb((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'))
  const noise = createServer((socket) => void socket.on('error', () => undefined).end('220 not what you expect\r\n'))
  const closed = createServer()
  for (const server of [web, noise]) resources.defer(() => void server.close())
  const [webPort, noisePort, closedPort] = await Promise.all([listening(web), listening(noise), listening(closed)])
  closed.close()
  await mkdir(join(folder, 'papers'))
  await cp(join(SAMPLES, 'boat-passages.csv'), join(folder, 'papers/boat-passages.csv'))
  await cp(join(SAMPLES, 'annual-report.pdf'), join(folder, 'file.pdf'))
  await writeFile(join(folder, 'not.yaml'), '{ this: [is no yaml')
  await writeFile(join(folder, 'wrong.yaml'), 'mode: fastest\npipelines:\n  a b:\n    sauce: here\n')
  await writeFile(join(folder, 'urls.txt'), 'not a url\n')
  await symlink('loop', join(folder, 'loop'))
  return { folder, webPort, noisePort, closedPort, oddStores: await oddStores(folder) }
}

interface Told {
  readonly code: number | null
  readonly text: string
}

async function attempt({ words, env }: Attempt, cwd: string): Promise<Told> {
  const running = startSluice(
    words.map((word) => word.replaceAll('\u0000', '')),
    { cwd, env: { ...env, HOME: cwd, SLUICE_CACHE_DIR: env['SLUICE_CACHE_DIR'] ?? join(cwd, 'cache') } },
  )
  using _limit = after(LIMIT_MS, () => running.child.kill('SIGTERM'))
  const { code, signal, stdout, stderr } = await running.finished
  return { code: signal === null ? code : null, text: `${stdout}${stderr}` }
}

const withoutNul = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replaceAll('\u0000', '')]))

test(`${MISTAKES} generated mistakes each end with a sentence instead of a stack trace (MISTAKES_SEED=${SEED}, MISTAKES)`, async () => {
  await using folder = await tempFolder()
  await using resources = new AsyncDisposableStack()
  const at = await environment(folder.path, resources)
  const random = new Random(SEED)
  const situations = Array.from({ length: MISTAKES }, () => wrongSituation(random, at))
  const breaches: string[] = []
  const limit = pLimit(AT_ONCE)
  const check = async ({ name, words, env }: (typeof situations)[number]): Promise<void> => {
    const { code, text } = await attempt({ words, env: withoutNul(env) }, folder.path)
    const breach = breachOf(code, text)
    if (breach !== null)
      breaches.push(`${name}: ${breach}\n  ${JSON.stringify({ words, env })}\n${text.slice(0, 1500)}`)
  }
  await Promise.all(situations.map((situation) => limit(() => check(situation))))
  expect(breaches.join('\n────\n')).toBe('')
}, 600_000)

function breachOf(code: number | null, text: string): string | null {
  if (/^\s*at /m.test(text)) return 'a stack trace'
  if (/internal error|TypeError|ReferenceError|\(node:\d+\)/.test(text)) return 'an error of the program'
  if (/\[object |undefined/.test(text)) return 'a value that was not written out'
  if (text.includes('hunter2')) return 'a password'
  if (code === null) return 'it was killed by a signal'
  return code !== 0 && text.trim() === '' ? 'refused without a word' : null
}
