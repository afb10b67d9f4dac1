import { cp, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { breachesOfSchemas } from '../support/published-schemas.ts'
import { answerOf } from '../support/paged-answer.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

const SAMPLES = resolve(import.meta.dirname, '../../samples')

test('local-first parsing buys only pages that the embedded engine grades below the floor, once', async () => {
  await using folder = await tempFolder()
  const sent: number[] = []
  await using service = await new ScriptedService({
    answers: ({ file }) => {
      const pages = file?.content?.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0
      sent.push(pages)
      return answerOf(
        Array.from({ length: pages }, (_, index) => `Bought page ${index + 1} of ${pages}.`),
        null,
      )
    },
  }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (const name of ['annual-report.pdf', 'scan.pdf', 'lock-faq.htm'])
    await cp(join(SAMPLES, name), join(source, name))
  const run = (floor: string) =>
    sluice([
      'run',
      source,
      '--out',
      out,
      '--parse-api-url',
      service.url,
      '--route',
      'local-first',
      '--quality-floor',
      floor,
    ])

  const first = await run('0.5')
  expect(first.code, first.stderr).toBe(0)
  expect(sent).toEqual([])
  expect(first.stdout).toContain('sent: nothing to the service, 3 parsed by the engine')
  const some = await readStore(out)
  expect([...some.records.values()].map(({ parser }) => parser?.class)).toEqual(['embedded', 'embedded', 'embedded'])
  expect(some.records.get('annual-report.pdf')?.route?.pages.map(({ reason }) => reason)).toEqual([
    'good',
    'good',
    'good',
  ])

  const second = await run('1')
  expect(second.code, second.stderr).toBe(0)
  expect(sent.toSorted((a, b) => a - b)).toEqual([1, 3])
  expect(second.stdout).toContain('sent: 2 requests')
  const all = await readStore(out)
  expect(all.records.get('lock-faq.htm')?.parser?.class).toBe('embedded')
  expect(all.records.get('annual-report.pdf')).toMatchObject({
    outcome: 'done',
    cost: { credits: 3 },
    parser: { class: 'service' },
  })
  expect(all.records.get('scan.pdf')?.route?.pages).toMatchObject([
    { page: 1, parser: 'service', reason: 'bought', credits: 1 },
  ])
  expect(await breachesOfSchemas(all)).toEqual([])
  const before = service.requests.length
  const third = await run('1')
  expect(third.code, third.stderr).toBe(0)
  expect(service.requests.length).toBe(before)
  const verified = await sluice(['verify', source, '--out', out])
  expect(verified.code, verified.stdout + verified.stderr).toBe(0)
}, 240_000)
