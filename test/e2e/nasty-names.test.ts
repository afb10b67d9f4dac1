import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, STACK_TRACE } from '../support/sluice.ts'

const NASTY = [
  'plain.html',
  ' leading space.html',
  'trailing space .html',
  '..html',
  '...html',
  '%2e%2e%2f.html',
  '100%.html',
  '%41.html',
  'line\nbreak.html',
  'tab\tand\u0001control.html',
  'back\\slash.html',
  'quote"double.html',
  "quote'single.html",
  'pipe|star*question?.html',
  'dollar$(id)`id`.html',
  '-rf.html',
  '#hash&and=plus+.html',
  'Straße naïve 文書 😀.html',
  'cafe\u0301.html',
  'caf\u00e9.html',
  'CASE.html',
  'case.html',
  'UPPER.HTML',
  'CON.html',
  'record.json.html',
  'document.md.html',
  `${'n'.repeat(250)}.html`,
  `${'文'.repeat(83)}.html`,
  'folder.html/inside.html',
  'documents/receipts/failures.html',
  'deep/'.repeat(40) + 'leaf.html',
  'right-to-left \u202egpj.html',
] as const

test('every nasty name becomes its own document inside the store, done once', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  for (const name of NASTY) {
    await mkdir(join(source, dirname(name)), { recursive: true })
    await writeFile(join(source, name), `<p>${JSON.stringify(name)}</p>`)
  }
  const args = ['run', source, '--hidden', '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'test-key']
  const first = await sluice(args)
  expect(first.stderr).not.toMatch(STACK_TRACE)
  expect(first.code).toBe(0)
  const { records, letters, folders } = await readStore(out)
  expect([...records.keys()].toSorted()).toEqual([...NASTY].toSorted())
  expect(letters.size).toBe(0)
  expect(service.charged).toBe(NASTY.length)
  for (const at of folders.values()) expect(await readFile(join(at, 'document.md'), 'utf8')).toBe('# Parsed\n')
  expect((await readdir(folder.path)).toSorted()).toEqual(['in', 'out'])

  expect((await sluice(args)).stdout).toMatch(/unchanged, nothing sent/)
  const status = await sluice(['status', source, '--out', out, '--json'])
  expect(JSON.parse(status.stdout)).toEqual({
    gone: 0,
    ambiguous: [],
    pending: 0,
    done: NASTY.length,
    partial: 0,
    failed: 0,
    skipped: 0,
    skippedBy: {},
    lost: 0,
    seen: NASTY.length,
    backlog: 0,
    gate: '0 in flight',
    lastRun: expect.objectContaining({ state: 'complete', cause: null }),
    grades: {
      doubtful: 0,
      good: 0,
      graded: 0,
      lowest: [],
      poor: 0,
    },
    outages: [],
    paused: false,
    unusable: { answers: 0, credits: 0 },
    workers: 0,
  })
}, 240_000)
