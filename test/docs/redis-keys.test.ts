import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'

/** What a placeholder of the page stands for. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '<pipeline>': '[0-9a-f]{16}',
  '<address>': '[0-9a-f]{16}',
  '<key>': '[0-9a-f]+',
  '<store>': '[0-9a-f-]{36}',
  '<process>': '[0-9a-f-]+',
  '<digest>': '[0-9a-f]{32}',
  '<n>': '[0-9a-z]{1,3}',
  '*': '.*',
}

/** Rows that only a route with a share or an unusable answer touches. */
const NOT_IN_THIS_RUN = ['pages', 'unusable'].map((name) => `{sluice:<pipeline>}:${name}`)

const patternOf = (name: string): RegExp =>
  new RegExp(
    `^${name
      .split(/(<\w+>|\*)/)
      .map((part) => PLACEHOLDERS[part] ?? RegExp.escape(part))
      .join('')}$`,
  )

test('docs/internals/redis-keys.md has a row for each key that a run and a watch use, and no other row', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../docs/internals/redis-keys.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name)
  await using folder = await tempFolder()
  await using redis = await startTestRedis()
  const used = new Set<string>()
  const monitor = await new Redis(redis.url).monitor()
  monitor.on('monitor', (_at: string, args: readonly string[]) => {
    // BullMQ names its connections like a key.
    if (args[0]?.toLowerCase() === 'client') return
    for (const arg of args) if (/^(?:\{sluice:|sluice:)\S+$/.test(arg) && !arg.endsWith(':')) used.add(arg)
  })
  await using service = await new ScriptedService({
    answers: ({ number }) => (number === 3 ? { status: 500, body: { error: 'broken' } } : parsedReply('# Parsed')),
  }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (let number = 0; number < 8; number += 1) await writeFile(join(source, `${number}.csv`), `a,b\n${number},2\n`)
  const target = [
    source,
    '--out',
    out,
    '--parse-api-url',
    service.url,
    '--parse-api-key',
    'k',
    '--redis-url',
    redis.url,
  ]
  const first = await sluice(['run', ...target, '--max-credits', '100', '--notify-url', 'http://127.0.0.1:9/'])
  expect(first.code, first.stderr).toBe(0)
  const watch = startSluice(['watch', ...target, '--every', '1s'])
  await until('a tick', 20_000, () => [...used].some((name) => name.includes(':ticks:')))
  watch.child.kill('SIGTERM')
  await watch.finished
  monitor.disconnect()
  const names = [...used].filter((name) => !name.startsWith('{sluice:') || name.includes('}:'))
  const patterns = rows.map(patternOf)
  expect(names.filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([])
  const unused = rows.filter((_, at) => !names.some((name) => patterns[at]?.test(name)))
  expect(unused).toEqual(NOT_IN_THIS_RUN)
}, 240_000)
