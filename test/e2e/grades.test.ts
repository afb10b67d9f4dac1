import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pdfOf } from '../../packages/engine/test/support/pdf-of.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { sluice } from '../support/sluice.ts'

test('the embedded engine grades PDFs, which --min-grade makes partial and status --grades counts', async () => {
  await using folder = await tempFolder()
  await using redis = await startTestRedis()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'two.pdf'), pdfOf(['First page', 'Second page']))
  const flags = ['--out', out, '--redis-url', redis.url, '--state-dir', join(folder.path, 'state')]

  const ran = await sluice(['run', source, ...flags, '--min-grade', '1'])
  expect(ran.code, ran.stderr).toBe(0)
  const { records } = await readStore(out)
  const record = records.get('two.pdf')
  expect(record).toMatchObject({ outcome: 'partial', problems: ['pages 1, 2 graded below 1'] })
  expect(record?.grade?.pages).toHaveLength(2)

  const status = await sluice(['status', source, ...flags, '--grades', '--json'])
  expect(JSON.parse(status.stdout)).toMatchObject({ partial: 1, grades: { graded: 1, poor: 0 } })
}, 240_000)
