import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { receiptOf, sha256 } from '../support/documents.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'
import { openStoreAt, type StoreAddress } from '../support/open-store-at.ts'
import { elapse } from '../support/wait.ts'

const PROGRAM = fileURLToPath(new URL('commit-loop.ts', import.meta.url))

/** Runs the program, kills it with SIGKILL some time after its first commit, and gives back what it had said. */
async function runAndKill(address: StoreAddress, from: number, afterMs: number): Promise<readonly string[][]> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(address), String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  const exited = new Promise((resolve) => child.once('close', resolve))
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('document')) resolve()
    })
  })
  await Promise.race([begun, exited])
  await elapse(afterMs, 'the moment of the kill is drawn')
  child.kill('SIGKILL')
  await exited
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
}

/** Kills a process that commits, `rounds` times, and inspects what it leaves. `leftovers` must be none after recovery. */
export function testStoreCrashes(
  name: string,
  rounds: number,
  open: () => Promise<{ address: StoreAddress; leftovers: () => Promise<readonly string[]> } & AsyncDisposable>,
): void {
  const seed = seedFrom('CRASH_SEED', 'fresh')
  test(`${name}: a killed process leaves its commits complete, and nothing else`, { timeout: 240_000 }, async () => {
    await using opened = await open()
    const { address, leftovers } = opened
    const random = new Random(seed)
    let from = 1
    let commits = 0
    for (let round = 0; round < rounds; round++) {
      const said = await runAndKill(address, from, random.below(60))
      const store = await openStoreAt(address)
      await store.maintenance.recover()
      const safe = new Map(said.filter(([what]) => what === 'document').map(([, key, at]) => [key ?? '', Number(at)]))
      const removing = new Map(
        said.filter(([what]) => what === 'removing').map(([, key, at]) => [key ?? '', Number(at)]),
      )
      expect(safe.size).toBeGreaterThan(0)
      commits += said.length

      for (const [key, generation] of safe) {
        const record = await store.documents.read(sourceKey(key))
        if (record === null) {
          // Gone only where a removal had begun, and then for good: what came before it must not come back.
          expect(removing.get(key)).toBe(generation)
          continue
        }
        expect(record.attempts).toBeGreaterThanOrEqual(generation)
        if (removing.has(key)) expect(record.attempts).toBeGreaterThanOrEqual(removing.get(key) as number)
        for (const file of record.files) {
          const bytes = (await store.documents.readOutput(sourceKey(key), file.name)) as Buffer
          expect([bytes.length, sha256(bytes)]).toEqual([file.bytes, file.sha256])
        }
        expect(record.files.map((file) => file.name)).toContain(`only-${record.attempts}.md`)
        const letter = await store.deadLetters.read(sourceKey(key))
        if (letter !== null) expect(letter.attempts).toBeGreaterThan(record.attempts)
        from = Math.max(from, record.attempts + 1)
      }
      for (const [, key, generation] of said.filter(([what]) => what === 'receipt')) {
        const body = await store.receipts.read(receiptOf(`${key} ${generation}`))
        expect(body?.body.toString()).toBe(`answer ${key} ${generation} `.repeat(500))
      }
      expect(await leftovers()).toEqual([])
    }
    expect(commits).toBeGreaterThan(rounds * 2)
  })
}
