import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { openFolderStore } from '#src/outputs/folder-store.ts'
import { receiptOf, sha256 } from '../support/documents.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PROGRAM = fileURLToPath(new URL('commit-loop.ts', import.meta.url))
const ROUNDS = 25

/** Runs the program, kills it with SIGKILL some time after its first commit, and gives back what it had said. */
async function runAndKill(store: string, from: number, afterMs: number): Promise<readonly string[][]> {
  const child = spawn(process.execPath, [PROGRAM, store, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  const exited = new Promise((resolve) => child.once('close', resolve))
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('document')) resolve()
    })
  })
  await Promise.race([begun, exited])
  await sleep(afterMs)
  child.kill('SIGKILL')
  await exited
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
}

test('what a killed process had committed is there, whole, and nothing else', { timeout: 60_000 }, async () => {
  await using folder = await tempFolder()
  const path = `${folder.path}/store`
  let from = 1
  let commits = 0
  for (let round = 0; round < ROUNDS; round++) {
    const said = await runAndKill(path, from, Math.random() * 60)
    const store = await openFolderStore({ path })
    await store.recover()
    const safe = new Map(said.filter(([what]) => what === 'document').map(([, key, at]) => [key ?? '', Number(at)]))
    const removing = new Map(said.filter(([what]) => what === 'removing').map(([, key, at]) => [key ?? '', Number(at)]))
    expect(safe.size).toBeGreaterThan(0)
    commits += said.length

    for (const [key, generation] of safe) {
      const record = await store.readRecord(sourceKey(key))
      if (record === null) {
        // Gone only where a removal had begun, and then for good: what came before it must not come back.
        expect(removing.get(key)).toBe(generation)
        continue
      }
      expect(record.attempts).toBeGreaterThanOrEqual(generation)
      if (removing.has(key)) expect(record.attempts).toBeGreaterThanOrEqual(removing.get(key) as number)
      for (const file of record.files) {
        const bytes = (await store.readOutput(sourceKey(key), file.name)) as Buffer
        expect([bytes.length, sha256(bytes)]).toEqual([file.bytes, file.sha256])
      }
      expect(record.files.map(({ name }) => name)).toContain(`only-${record.attempts}.md`)
      const letter = await store.readDeadLetter(sourceKey(key))
      if (letter !== null) expect(letter.attempts).toBeGreaterThan(record.attempts)
      from = Math.max(from, record.attempts + 1)
    }
    for (const [, key, generation] of said.filter(([what]) => what === 'receipt')) {
      const body = await store.readReceipt(receiptOf(`${key} ${generation}`))
      expect(body?.toString()).toBe(`answer ${key} ${generation} `.repeat(500))
    }
    expect(await readdir(`${path}/.sluice/staging`)).toEqual([])
    expect(await readdir(`${path}/.sluice/aside`)).toEqual([])
  }
  expect(commits).toBeGreaterThan(ROUNDS * 5)
})
