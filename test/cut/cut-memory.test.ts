import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from '../support/child.ts'
import { writeLargePdf } from '../support/large-pdf.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MB = 1_000_000

test('a worker that cuts a PDF of 200 MB grows by at most half of it, and its killed child leaves nothing', async () => {
  await using folder = await tempFolder()
  const [path, small, work] = [
    join(folder.path, 'large.pdf'),
    join(folder.path, 'small.pdf'),
    join(folder.path, 'work'),
  ]
  await mkdir(work)
  await writeLargePdf(small, { pictures: [2 * MB] })
  await writeLargePdf(path, { pictures: Array.from({ length: 100 }, () => 2 * MB) })

  const cutting = startProcess('cut-large.ts', [path, work, small])
  const reported = await cutting.line('{')
  console.log(`in pieces: ${reported}`)
  const { pieces, grownMiB } = JSON.parse(reported) as { pieces: number; grownMiB: number }
  expect(pieces).toBe(5)
  // V8 collects the buffers of a stream after 32 to 64 MiB of them: 41 to 64 MiB were seen, also for 460 MB.
  expect(grownMiB).toBeLessThanOrEqual(100)

  const killed = startProcess('cut-large.ts', [path, work, small])
  const underWay = () => readdir(work, { recursive: true }).then((names) => names.join(' '))
  await expect.poll(underWay, { timeout: 20_000, interval: 20 }).toContain('1-20.pdf')
  await killed.kill('SIGKILL')
  await expect.poll(() => readdir(work), { timeout: 240_000 }).toEqual([])
}, 240_000)
