import { existsSync } from 'node:fs'
import { readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EXIT } from '#src/cli/print/exit-codes.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { isRecord } from '../checker/store-outside.ts'
import { expectEnd } from './process-waits.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'

const MAX_DAMAGED = 5
const TWO_DAYS_S = 172_800

/** Records of a store at rest are cut off, altered or swapped; the next run makes their documents again from receipts. */
export const damagedRecords: FaultClass = {
  target: 'folder',
  async inject(context) {
    const { processes, files, random, note } = context
    await context.kill(processes.living)
    await using _ = context.damaging()
    for (let count = 1 + random.below(MAX_DAMAGED); count > 0; count--) {
      const records = (await files.list('documents')).filter(isRecord)
      if (records.length < 2) return
      const [one, other] = [random.pick(records), random.pick(records)]
      const how = random.pick(['cut', 'alter', 'swap'] as const)
      note(`${how} ${one}${how === 'swap' ? ` and ${other}` : ''}`)
      if (how === 'swap') await swap(context, dirname(one), dirname(other))
      else await rewrite(context, one, how === 'cut' ? cut : alter)
    }
    await runs(context)
  },
}

const cut = (text: string): string => text.slice(0, text.length >> 1)

/** A content hash that its receipt does not have. */
const alter = (text: string): string =>
  JSON.stringify({ ...(JSON.parse(text) as DocumentRecord), contentHash: 'f'.repeat(64) })

async function rewrite({ environment }: FaultContext, name: string, change: (text: string) => string): Promise<void> {
  const path = join(environment.out, name)
  const text = await readFile(path, 'utf8')
  try {
    await writeFile(path, change(text))
  } catch {
    // Cut before: no JSON is left to alter.
  }
}

async function swap({ environment: { out } }: FaultContext, one: string, other: string): Promise<void> {
  if (one === other) return
  const aside = join(out, `${one}.aside`)
  await rename(join(out, one), aside)
  await rename(join(out, other), join(out, one))
  await rename(aside, join(out, other))
}

async function runs(context: FaultContext): Promise<void> {
  const running = context.processes.start('run')
  const codes = [EXIT.allDone, EXIT.someFailed, EXIT.halted]
  await expectEnd(context, running, { what: 'a run of a damaged store', codes })
}

/** `gc` while `documents` is away for a moment, or for good: no receipt of a document is removed. */
export const blindGc: FaultClass = {
  target: 'folder',
  async inject(context) {
    const { processes, files, environment, random, note, breaches } = context
    await context.kill(processes.living)
    const receipts = await files.list('receipts')
    if (receipts.length === 0 || !existsSync(join(environment.out, 'documents'))) return
    const old = Date.now() / 1_000 - TWO_DAYS_S
    await Promise.all(receipts.map((name) => utimes(join(environment.out, name), old, old)))
    await using _ = context.damaging()
    const [there, aside] = ['documents', 'documents-aside'].map((name) => join(environment.out, name)) as [
      string,
      string,
    ]
    await rename(there, aside)
    const args = random.pick([['gc'], ['gc', '--now']])
    const comesBack = random.chance(0.7)
    note(`sluice ${args.join(' ')} while documents are away${comesBack ? '' : ', for good'}`)
    const codes = [EXIT.allDone, EXIT.usage, EXIT.someFailed]
    await expectEnd(context, processes.maintain(args), { what: 'gc without documents', codes })
    const left = new Set(await files.list('receipts'))
    for (const name of receipts)
      if (!left.has(name)) breaches.lost.push(`${name} was removed while documents were away`)
    if (comesBack) await rename(aside, there)
    await runs(context)
  },
}
