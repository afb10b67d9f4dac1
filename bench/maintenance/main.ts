/**
 * npm run bench:maintenance -- [--documents 10000,100000] [--rounds 3] [--only verify,status]
 *
 * What the commands cost that maintain a store, as it grows: wall time, processor time and peak memory of whole
 * commands, started by the launcher, on synthetic stores in a folder (a record, its outputs of 9 KB and a receipt for
 * each document). Each size adds to the store of the one before. The slope is what another document costs between the
 * two largest sizes. Medians of the rounds; the last line is JSON. A store of 1,000,000 takes 25 GB and an hour to make.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { addDocuments, templateOf } from './synthetic-store.ts'

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '10000,100000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
})
const sizes = values.documents.split(',').map(Number)
const rounds = Number(values.rounds)
const only = values.only?.split(',')
const run = promisify(execFile)
const LAUNCHER = resolve(import.meta.dirname, '../../sluice')

interface Cost {
  readonly wallS: number
  readonly cpuS: number
  readonly peakMb: number
}

interface Row {
  readonly name: string
  readonly documents: number
  readonly median: Cost
}

const folder = await mkdtemp(join(tmpdir(), 'sluice-maintenance-'))
try {
  await bench()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function bench(): Promise<void> {
  const source = join(folder, 'in')
  const out = join(folder, 'out')
  await mkdir(source)
  const words = 'Water is held back by a gate and let through a sluice. '
  await writeFile(join(source, 'first.html'), `<!doctype html><title>First</title><p>${words.repeat(160)}</p>`)
  await cost(['run', source, '--out', out])
  const template = templateOf(out, 'first.html')
  const rows: Row[] = []
  let made = 0
  for (const documents of sizes) {
    addDocuments(source, out, template, made, documents)
    made = documents
    // Completes the ledger, and is not counted: what was just written is still being flushed.
    await cost(['verify', source, '--out', out, '--rebuild'])
    rows.push(...(await measured(commandsOf(source, out), documents)))
  }
  report(rows)
}

function commandsOf(source: string, out: string): Readonly<Record<string, readonly string[]>> {
  const all = {
    verify: ['verify', '--out', out],
    rebuild: ['verify', source, '--out', out, '--rebuild'],
    status: ['status', source, '--out', out],
    plan: ['plan', source, '--out', out],
    unchanged: ['run', source, '--out', out],
    gc: ['gc', '--out', out, '--dry-run'],
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => only === undefined || only.includes(name)))
}

async function measured(commands: Readonly<Record<string, readonly string[]>>, documents: number): Promise<Row[]> {
  const costs = new Map<string, Cost[]>(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of Object.entries(commands)) costs.get(name)?.push(await cost(words))
  }
  return [...costs].map(([name, of]) => {
    const median = { wallS: middle(of, 'wallS'), cpuS: middle(of, 'cpuS'), peakMb: middle(of, 'peakMb') }
    const load = loadavg()[0]?.toFixed(1) ?? ''
    console.log(
      `${name.padEnd(10)} ${documents} documents: ${median.wallS.toFixed(2)} s, processor ${median.cpuS.toFixed(2)} s, peak ${median.peakMb.toFixed(0)} MB (load ${load})`,
    )
    return { name, documents, median }
  })
}

function middle(costs: readonly Cost[], of: keyof Cost): number {
  return costs.map((each) => each[of]).toSorted((a, b) => a - b)[costs.length >> 1] ?? Number.NaN
}

/** Of all processes of the command; its private Redis is another's. */
async function cost(words: readonly string[]): Promise<Cost> {
  const usage = join(folder, 'usage.jsonl')
  await rm(usage, { force: true })
  const began = performance.now()
  await run(LAUNCHER, words, {
    env: {
      ...process.env,
      XDG_STATE_HOME: join(folder, 'state'),
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'report-usage.ts')}`,
      SLUICE_BENCH_USAGE: usage,
    },
    cwd: folder,
    maxBuffer: 1e8,
  })
  const wallS = (performance.now() - began) / 1000
  const used = (await readFile(usage, 'utf8')).trim().split('\n')
  const each = used.map((line) => JSON.parse(line) as Omit<Cost, 'wallS'>)
  return {
    wallS,
    cpuS: each.reduce((sum, { cpuS }) => sum + cpuS, 0),
    peakMb: Math.max(...each.map((one) => one.peakMb)),
  }
}

function report(rows: readonly Row[]): void {
  const [before = 0, last = 0] = sizes.slice(-2)
  const slopes = Object.fromEntries(
    [...new Set(rows.map(({ name }) => name))].map((name) => {
      const of = (documents: number): Cost | undefined =>
        rows.find((row) => row.name === name && row.documents === documents)?.median
      const slope = (what: 'wallS' | 'cpuS'): number =>
        Math.round((((of(last)?.[what] ?? 0) - (of(before)?.[what] ?? 0)) / (last - before)) * 1e7) / 10
      return [name, { wallUs: slope('wallS'), cpuUs: slope('cpuS'), peakMb: Math.round(of(last)?.peakMb ?? 0) }]
    }),
  )
  console.log(JSON.stringify({ bench: 'maintenance', sizes, rounds, perDocument: slopes }))
}
