import { mkdir, writeFile, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStore } from '../../support/check-store.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startTestRedis, type TestRedis } from '../../support/redis.ts'
import { type Reply, startScriptedService } from '../../support/scripted-service.ts'
import { seedFrom } from '../../support/seed.ts'
import { sluice } from '../../support/sluice.ts'
import { DOCUMENTS, type Draw, drawAnswers, wellReply } from './draw-answers.ts'

/*
 * What becomes of documents, requests and money for answers drawn at random, beside the table of docs/reference/contract.md:
 * `ANSWERS=40 ANSWERS_SEED=7` draws 40.
 */

const SEED = seedFrom('ANSWERS_SEED', 'fresh')
const ANSWERS = Number(process.env['ANSWERS'] ?? 0)
if (ANSWERS === 0) console.warn('no answers are drawn: ANSWERS=40 draws so many')
const SIDE_BY_SIDE = 4

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

/** A row of the table; numbers are for each document that is meant. */
interface Row {
  readonly outcome: string
  readonly exit: number
  /** Null where the run halts: five documents, and what is in flight by then. */
  readonly sent: number | null
  readonly inDoubt: number | null
  readonly sentAgain: number
  readonly outcomeAgain: string
}

async function readTable(): Promise<ReadonlyMap<string, Row>> {
  const page = await readFile(resolve(import.meta.dirname, '../../../docs/reference/contract.md'), 'utf8')
  const table = page.slice(page.indexOf('<!-- answers -->'), page.indexOf('<!-- /answers -->'))
  const rows = new Map<string, Row>()
  const number = (cell: string): number | null => (/^\d+$/.test(cell) ? Number(cell) : null)
  for (const line of table
    .split('\n')
    .filter((one) => one.startsWith('| '))
    .slice(2)) {
    const [kind = '', which = '', outcome = '', exit, sent = '', inDoubt = '', again = '', outcomeAgain = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    const row = {
      outcome,
      exit: Number(exit),
      sent: number(sent),
      inDoubt: number(inDoubt),
      sentAgain: Number(again),
      outcomeAgain,
    }
    for (const one of which.split(', ')) rows.set(`${kind}: ${one}`, row)
  }
  return rows
}

interface Summary {
  readonly exitCode: number
  readonly requests: number
  readonly credits: { readonly reported: number; readonly estimated: number }
  readonly unusable: { readonly answers: number; readonly credits: number }
  readonly done: number
  readonly partial: number
  readonly failed: number
  readonly pending: number
  readonly seen: number
}

async function tryDraw(draw: Draw, row: Row): Promise<void> {
  await using folder = await tempFolder()
  const times = new Map<number, number>()
  let isWell = false
  const sent = { meant: 0, doubtful: 0, all: 0 }
  await using service = await startScriptedService({
    answers: ({ file }): Reply => {
      const document = Number(/number (\d+)/.exec(file?.content?.toString() ?? '')?.[1])
      const time = (times.get(document) ?? 0) + 1
      times.set(document, time)
      sent.all += 1
      if (!draw.isMeant(document)) return wellReply(document)
      sent.meant += 1
      return isWell ? wellReply(document) : draw.answer(document, time)
    },
  })
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  const documents = Array.from({ length: DOCUMENTS }, (_, document) => document)
  await Promise.all(documents.map((document) => writeFile(join(source, `${document}.html`), `<p>number ${document}`)))
  const args = [
    'run',
    source,
    '--out',
    out,
    '--parse-api-url',
    service.url,
    '--concurrency',
    `${draw.concurrency}`,
    '--json',
  ]
  const run = async (): Promise<Summary> => {
    const env = { REDIS_URL: redis.url, PARSE_API_KEY: `key-${folder.path}` }
    const { stdout, stderr } = await sluice(args, { env })
    const last = stdout.trim().split('\n').at(-1) ?? ''
    if (!last.includes('"summary"')) throw new Error(`${draw.name}: no summary\n${stdout}\n${stderr}`)
    return JSON.parse(last) as Summary
  }
  const meant = documents.filter((document) => draw.isMeant(document)).length
  const label = `${draw.name}, ${draw.concurrency} at a time`

  const first = await run()
  const halts = row.exit === 3
  const outcomes = await outcomesOf(out, documents)
  const others = documents.filter((document) => !draw.isMeant(document)).map((document) => outcomes[document])
  const found = documents.filter((document) => draw.isMeant(document)).map((document) => outcomes[document])
  expect({ label, exit: first.exitCode, found: [...new Set(found)] }).toEqual({
    label,
    exit: row.exit,
    found: [row.outcome],
  })
  expect({ label, others: others.filter((one) => one !== 'done' && !(halts && one === 'pending')) }).toEqual({
    label,
    others: [],
  })
  expect({ label, requests: first.requests }).toEqual({ label, requests: sent.all })
  if (row.sent !== null) expect({ label, sent: sent.meant }).toEqual({ label, sent: row.sent * meant })
  else expect({ label, sent: sent.meant <= 5 + draw.concurrency }).toEqual({ label, sent: true })
  const inDoubt = row.inDoubt === null ? sent.meant : row.inDoubt * meant
  expect({ label, ...first.unusable }).toEqual({ label, answers: inDoubt, credits: inDoubt })
  expect({ label, credits: first.credits.estimated + first.credits.reported }).toEqual({
    label,
    credits: first.done + first.partial,
  })
  const { done, partial, failed, pending } = first
  expect({ label, seen: done + partial + failed + pending }).toEqual({ label, seen: DOCUMENTS })

  isWell = true
  const before = sent.meant
  const second = await run()
  const again = await outcomesOf(out, documents)
  expect({ label, sentAgain: sent.meant - before }).toEqual({ label, sentAgain: row.sentAgain * meant })
  expect({
    label,
    again: [...new Set(documents.filter((document) => draw.isMeant(document)).map((document) => again[document]))],
  }).toEqual({ label, again: [row.outcomeAgain] })
  expect({ label, exit: second.exitCode }).toEqual({ label, exit: row.outcomeAgain.startsWith('failed') ? 2 : 0 })
}

async function outcomesOf(out: string, documents: readonly number[]): Promise<readonly string[]> {
  const { records, letters } = await readStore(out)
  return documents.map((document) => {
    const [record, letter] = [records.get(`${document}.html`), letters.get(`${document}.html`)]
    return (
      record?.outcome ??
      (letter === undefined ? 'pending' : `failed ${letter.failure.code}`.replace(/ (?!refused|bad_answer).*/, ''))
    )
  })
}

test.skipIf(ANSWERS === 0)(
  `${ANSWERS} random answers get the outcome in the table of the contract (ANSWERS_SEED=${SEED}, ANSWERS)`,
  async () => {
    const table = await readTable()
    expect(table.size).toBeGreaterThan(20)
    const broken: unknown[] = []
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < ANSWERS) {
        const draw = drawAnswers(SEED + next++)
        const row = table.get(`${draw.kind}: ${draw.which}`)
        if (row === undefined) throw new Error(`the table has no row for ${draw.kind}, ${draw.which}`)
        await tryDraw(draw, row).catch((error: unknown) => broken.push(error))
      }
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane))
    if (broken.length > 0) throw new AggregateError(broken, broken.map((error) => (error as Error).message).join('\n'))
  },
  60_000 + ANSWERS * 60_000,
)
