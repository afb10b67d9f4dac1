import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from '../support/free-port.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'

interface Summary {
  readonly event: string
  readonly credits: { readonly reported: number; readonly estimated: number }
}

const summaryIn = (stdout: string): Summary | undefined =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Summary)
    .find(({ event }) => event === 'summary')

/** What each record says that its document cost. */
const costsIn = async (out: string): Promise<readonly number[]> =>
  [...(await readStore(out)).records.values()].map(({ cost }) => cost.credits)

const charged = async (port: number): Promise<number | null> => {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  )
  const value = /^sluice_credits_total\{basis="reported"\} (\S+)$/m.exec(text)?.[1]
  return value === undefined ? null : Number(value)
}

test('the charge is zero for credits that the embedded engine reports, and --reported-credit for those of a service', async () => {
  await using folder = await tempFolder()
  const answers = () => parsedReply('# Parsed', { metadata: { statusCode: 200, creditsUsed: 4 } })
  await using service = await new ScriptedService({ answers }).listen()
  const [source, embedded, served] = ['in', 'embedded', 'served'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  await mkdir(source)
  for (let number = 0; number < 5; number++) await writeFile(join(source, `${number}.csv`), `a,b\n${number},2\n`)

  // The embedded engine reports a credit a document.
  const free = await sluice(['run', source, '--out', embedded, '--max-credits', '1', '--json'])
  expect([free.code, summaryIn(free.stdout)?.credits]).toEqual([0, { reported: 0, estimated: 0 }])
  const unused = '--max-credits has no effect: the embedded engine charges nothing'
  const shown = await sluice(['run', source, '--out', embedded, '--max-credits', '1'])
  expect(shown.stderr.replaceAll(/\s+/g, ' ').split(unused).length).toBe(2)
  const planned = await sluice(['plan', source, '--out', join(folder.path, 'none'), '--max-credits', '1'])
  expect(planned.stdout).toContain(unused)
  expect(planned.stdout).not.toContain('would halt')
  expect(await costsIn(embedded)).toEqual([0, 0, 0, 0, 0])

  const api = ['--parse-api-url', service.url, '--parse-api-key', 'k', '--reported-credit', '0.5']
  const paid = await sluice(['run', source, '--out', served, ...api, '--max-credits', '6', '--json'])
  expect([paid.code, summaryIn(paid.stdout)?.credits]).toEqual([3, { reported: 6, estimated: 0 }])
  expect(await costsIn(served)).toEqual([2, 2, 2])
  expect(service.charged).toBe(3)

  const port = await freePort()
  const watch = startSluice(['watch', source, '--out', served, ...api, '--metrics-port', String(port)])
  await until('two charges in the metrics', 30_000, async () => (await charged(port)) === 4)
  watch.child.kill('SIGINT')
  await watch.finished
  expect(await costsIn(served)).toEqual([2, 2, 2, 2, 2])
  expect(service.charged).toBe(5)
}, 240_000)

test('the charge is zero for a document that its prices make free, whatever the service reports', async () => {
  await using folder = await tempFolder()
  const answers = () => parsedReply('# Parsed', { metadata: { statusCode: 200, creditsUsed: 4 } })
  await using service = await new ScriptedService({ answers }).listen()
  await using named = await new ScriptedService({ answers }).listen()
  const [source, config] = [join(folder.path, 'in'), join(folder.path, 'sluice.yaml')]
  await mkdir(source)
  for (const name of ['a.csv', 'b.html']) await writeFile(join(source, name), `a,${name}\n`)
  const run = async (out: string, ...more: readonly string[]): Promise<readonly number[]> => {
    const store = join(folder.path, out)
    const ran = await sluice(['run', source, '--out', store, '--config', config, '--max-credits', '9', ...more], {
      env: { PARSE_API_KEY: 'k' },
    })
    expect(ran.code, ran.stderr).toBe(0)
    return (await costsIn(store)).toSorted((a, b) => a - b)
  }
  const address = `parseApiUrl: ${service.url}\n`
  const free = '{ document: 0, furtherPage: 0 }'
  await writeFile(config, `${address}prices: ${free}\n`)
  expect(await run('all')).toEqual([0, 0])
  expect(await run('said', '--reported-credit', '0.5')).toEqual([2, 2])
  const services = `services: { gpu: { url: '${named.url}', prices: ${free} } }`
  await writeFile(config, `${address}${services}\nrules: [{ match: '*.html', service: gpu }]\n`)
  expect(await run('one')).toEqual([0, 4])
  expect([service.charged, named.charged]).toEqual([5, 1])
}, 240_000)
