import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openLog } from '#src/observe/log.ts'
import { SmallDisk } from '../outages/support/small-disk.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { MAIN } from '../support/sluice.ts'

test('a log on a full disk throws nothing, reports it once, resumes with space, and counts dropped lines', async (context) => {
  await using folder = await tempFolder()
  await using disk = await SmallDisk.mount(folder.path, '64k').then((one) =>
    typeof one === 'string' ? context.skip(one) : one,
  )
  const file = join(folder.path, 'logs/sluice.log')
  const said: string[] = []
  const log = openLog({ level: 'info', file, version: '0', say: (line) => said.push(line) })
  const written = 2_000
  for (let number = 0; number < written; number++) log.info({ number }, 'one of many')
  expect(said).toEqual([expect.stringMatching(/^the log .*sluice\.log cannot be written \(ENOSPC\)/)])
  await disk.resize('8m')
  const lines = async (): Promise<{ msg: string; lines?: number; number?: number }[]> =>
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; lines?: number; number?: number })
  log.info('there is space')
  const kept = await lines()
  const [missing, last] = kept.slice(-2)
  expect([missing?.msg, last?.msg]).toEqual([expect.stringContaining('lines missing'), 'there is space'])
  expect(kept.length - 2 + (missing?.lines ?? 0)).toBe(written)
  expect(kept.slice(0, -2).map(({ number }) => number)).toEqual(Array.from({ length: kept.length - 2 }, (_, at) => at))
})

test('a run with its terminal on a full disk does its work, and exits with 1 when its summary is lost', async () => {
  await using folder = await tempFolder()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (const name of ['a.txt', 'b.txt']) await writeFile(join(source, name), name)
  const { PATH = '', HOME = '' } = process.env
  const command = ['exec "$0" "$@" >/dev/full 2>/dev/full', process.execPath, MAIN, 'run', source]
  const flags = ['--out', out, '--log-file', '/dev/full', '--verbose']
  const env = { PATH, HOME, XDG_STATE_HOME: '/dev/null' }
  await expect(promisify(execFile)('sh', ['-c', ...command, ...flags], { env })).rejects.toMatchObject({ code: 1 })
  expect([...(await readStore(out)).records.keys()].toSorted()).toEqual(['a.txt', 'b.txt'])
})
