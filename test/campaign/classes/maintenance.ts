import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { EXIT } from '#src/cli/print/exit-codes.ts'
import { expectEnd } from './process-waits.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'

/** What may go on beside a run, as it is started by a timer or a person. */
const BESIDE_A_RUN: readonly (readonly string[])[] = [
  ['gc'],
  ['gc', '--now', '--force'],
  ['gc', '--dry-run'],
  ['render'],
  ['verify'],
  ['verify', '--repair'],
  ['verify', '--repair', '--remove-orphans'],
  ['status'],
]

/** A command takes some 300 ms to start, and tens of milliseconds for a store of this size. */
const LATEST_KILL_MS = 900

const MAX_OLD_RECEIPTS = 200
const TWO_DAYS_S = 172_800

/**
 * Maintenance of the store beside the processes, or of a store at rest, with the ledger being rebuilt; half of the
 * commands are killed. What `gc` has to remove are copies of receipts under ids that no record names.
 */
export const maintenance: FaultClass = {
  async inject(context) {
    const { processes, random, note } = context
    const atRest = random.next() < 0.3
    if (atRest) await context.kill(processes.living)
    await addOldReceipts(context)
    for (let count = 1 + random.below(4); count > 0; count--) {
      const args = random.pick(atRest ? [...BESIDE_A_RUN, ['verify', '--rebuild']] : BESIDE_A_RUN)
      note(`sluice ${args.join(' ')}`)
      const running = processes.maintain(args)
      if (random.next() < 0.5) {
        await sleep(random.below(LATEST_KILL_MS))
        running.child.kill('SIGKILL')
        await running.finished
        continue
      }
      await expectEnd(context, running, {
        what: `sluice ${args.join(' ')}`,
        codes: [EXIT.allDone, EXIT.someFailed],
      })
    }
  },
}

async function addOldReceipts({ environment, files, random }: FaultContext): Promise<void> {
  if (environment.store.kind !== 'folder') return
  const receipts = await files.list('receipts')
  if (receipts.length === 0) return
  const old = Date.now() / 1_000 - TWO_DAYS_S
  for (let count = random.below(MAX_OLD_RECEIPTS); count > 0; count--) {
    const id = Array.from({ length: 64 }, () => random.below(16).toString(16)).join('')
    const receipt = random.pick(receipts)
    const [from, to] = [receipt, receipt.replace(/[\da-f]{2}\/[\da-f]{64}/, `${id.slice(0, 2)}/${id}`)] as const
    const path = join(environment.store.path, to)
    await mkdir(dirname(path), { recursive: true })
    // Without its header, which names the receipt that it was.
    await writeFile(path, gzipSync(gunzipSync(await readFile(join(environment.store.path, from)))))
    await utimes(path, old, old)
  }
}
