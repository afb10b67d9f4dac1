import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore, savedLongAgo } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { errorReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

/* The maintenance commands of a store, as a user types them: verify, render, gc and retry. */

async function archive(service: ScriptedService, path: string) {
  const [source, out] = [join(path, 'in'), join(path, 'out')]
  await mkdir(source)
  for (const name of ['one', 'two', 'bad']) await writeFile(join(source, `${name}.csv`), `name\n${name}\n`)
  const at = ['--parse-api-url', service.url, '--parse-api-key', 'key']
  return { source, out, flags: ['--out', out, ...at] }
}

const refusingBad = (request: { readonly file: { readonly content: Buffer | null } | null }) =>
  request.file?.content?.includes('bad') === true ? errorReply(422, 'The document is damaged') : {}

test('verify reports an altered output, restores it from its receipt with --repair, and rebuilds the ledger', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({ answers: refusingBad }).listen()
  const { source, out, flags } = await archive(service, folder.path)
  expect((await sluice(['run', source, ...flags])).code).toBe(2)
  const whole = await readStore(out)
  const markdown = join(whole.folders.get('one.csv') ?? '', 'document.md')
  await writeFile(markdown, 'scribbled over')
  const found = await sluice(['verify', '--out', out])
  expect(found).toMatchObject({ code: 2, stdout: expect.stringContaining('one.csv: document.md was altered') })
  const repaired = await sluice(['verify', source, '--rebuild', '--repair', '--out', out])
  expect(repaired.stdout).toMatch(/1 document intact, 0 damaged, 1 repaired\nthe ledger was rebuilt: 3 documents/)
  expect(repaired.code).toBe(0)

  await writeFile(join(out, 'documents/notes.txt'), 'mine')
  const reported = await sluice(['verify', '--repair', '--out', out])
  expect(reported.stdout).toMatch(
    /documents\/notes.txt is a file where only .*--remove-orphans removes it\n.*\n1 orphan, 0 removed/,
  )
  expect(reported.code).toBe(2)
  const removed = await sluice(['verify', '--remove-orphans', '--out', out])
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('1 removed') })
  await rm(markdown)
  expect((await sluice(['render', '--out', out])).stdout).toMatch(/1 document written, 1 unchanged/)
  expect((await readStore(out)).records).toEqual(whole.records)
  expect((await sluice(['run', source, ...flags])).stdout).toMatch(/unchanged, nothing sent/)
  expect(service.charged).toBe(2)
}, 240_000)

test('retry parses selected failures again, a success removes the dead letter, and gc removes only unused receipts', async () => {
  await using folder = await tempFolder()
  let mended = false
  await using service = await new ScriptedService({
    answers: (request) => (mended ? {} : refusingBad(request)),
  }).listen()
  const { source, out, flags } = await archive(service, folder.path)
  await sluice(['run', source, ...flags])
  mended = true
  await sluice(['retry', source, '--key', 'no such*', ...flags])
  expect([...(await readStore(out)).letters.keys()]).toEqual(['bad.csv'])
  const retried = await sluice(['retry', source, '--code', 'service_rejected', ...flags])
  expect(retried.code).toBe(0)
  expect((await readStore(out)).letters.size).toBe(0)
  expect(service.charged).toBe(3)

  await rm(join(source, 'one.csv'))
  expect((await sluice(['run', source, '--delete-gone', ...flags])).stdout).toMatch(/no longer in the source; removed/)
  expect([...(await readStore(out)).records.keys()].sort()).toEqual(['bad.csv', 'two.csv'])
  const all = ['--out', out]
  expect((await sluice(['gc', '--out', out])).stdout).toMatch(
    /0 receipts removed\n1 unused receipt kept: saved or used/,
  )
  await savedLongAgo(out)
  expect((await sluice(['gc', '--now', '--dry-run', ...all])).stdout).toMatch(/1 receipt would be removed/)
  expect((await sluice(['gc', '--now', ...all])).stdout).toMatch(/1 receipt removed/)
  expect((await sluice(['gc', ...all])).stdout).toMatch(/0 receipts removed/)
}, 240_000)
