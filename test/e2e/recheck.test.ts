import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

const COMMON = 'the same words in every answer of this service, twenty in all, so that a changed one is a small part'

test('a recheck buys receipts again within its budget, reports what changed, leaves records alone, and is repeatable', async () => {
  await using folder = await temporaryFolder()
  let isUpgraded = false
  await using service = await new ScriptedService({
    answers: ({ file }) => {
      const name = file?.content?.toString().match(/document (\w)/)?.[1] ?? '?'
      return parsedReply(`# Document ${name}\n\n${COMMON} ${isUpgraded && name === 'b' ? 'in 2025' : 'in 2024'}\n`)
    },
  }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (const name of ['a', 'b', 'c', 'd']) await writeFile(join(source, `${name}.html`), `<p>document ${name}`)
  const where = [source, '--out', out, '--parse-api-url', service.url]
  const run = await sluice(['run', ...where])
  expect(run.code, run.stderr).toBe(0)
  expect(service.charged).toBe(4)

  isUpgraded = true
  const few = await sluice(['recheck', ...where, '--budget', '2', '--name', 'few'])
  expect(few.code, few.stderr).toBe(0)
  expect(few.stdout).toMatch(/2 receipts rechecked for 2 credits/)
  expect(service.charged).toBe(6)

  await writeFile(join(source, 'd.html'), '<p>document d, another version')
  const all = await sluice(['recheck', ...where, '--budget', '10', '--name', 'all'])
  expect(all.code, all.stderr).toBe(0)
  expect(all.stdout).toMatch(/b\.html: changed since \d{4}-.*: agreement text 0\.9\d+, .* numbers 0\.000/)
  expect(all.stdout).toMatch(/d\.html: not rechecked: it changed since/)
  expect(all.stdout).toMatch(/3 receipts rechecked for 3 credits: 1 changed/)
  expect(service.charged).toBe(9)

  const again = await sluice(['recheck', ...where, '--budget', '10', '--name', 'all'])
  expect(again.stdout).toMatch(/3 receipts rechecked for 0 credits: 1 changed/)
  expect(service.charged).toBe(9)

  // The run after it finds the receipts that it had.
  await writeFile(join(source, 'd.html'), '<p>document d')
  expect((await sluice(['run', ...where, '--checksum'])).code).toBe(0)
  expect(service.charged).toBe(9)
})

test('a recheck without a budget, or with one that is no number, says what it needs', async () => {
  const without = await sluice(['recheck', 'samples', '--parse-api-url', 'http://127.0.0.1:9'])
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringMatching(/how many credits may be spent: --budget 20/),
  ])
  const wrong = await sluice(['recheck', 'samples', '--budget', 'two', '--parse-api-url', 'http://127.0.0.1:9'])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/--budget: "two" is no whole number/)])
})
