import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEngine } from '@sluice/engine'
import { tempFolder } from '../support/temp-folder.ts'
import { sluice } from '../support/sluice.ts'

test('a plan reports remaining and missing credits, and so does a run that they halt', async () => {
  await using folder = await tempFolder()
  const source = join(folder.path, 'in')
  await mkdir(source)
  for (const name of ['a', 'b', 'c']) await writeFile(join(source, `${name}.csv`), `name\n${name}\n`)
  const engine = await createEngine({ children: 1, keys: { 'k-of-the-plan': { credits: 2 } } })
  try {
    const api = ['--parse-api-url', engine.url, '--parse-api-key', 'k-of-the-plan']
    const args = ['plan', source, '--out', join(folder.path, 'out'), ...api]
    const { stdout } = await sluice(args)
    expect(stdout).toContain('credits left on the account: 2, 1 fewer than the run needs')
    expect(JSON.parse((await sluice([...args, '--json'])).stdout)).toMatchObject({ creditsLeft: 2, credits: 3 })
    const { stdout: capped } = await sluice([...args, '--max-credits', '1', '--monthly-credits', '3'])
    expect(capped).toContain('--max-credits allows 1 credit: the run would halt before it has parsed all documents')
    expect(capped).not.toContain('--monthly-credits allows')
    expect(await readdir(folder.path), 'a plan leaves nothing').toEqual(['in'])
    const run = await sluice(['run', ...args.slice(1)])
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('credits left on the account: 0 of 2')])
  } finally {
    await engine[Symbol.asyncDispose]()
  }
}, 240_000)
