import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'

test('a request in flight at a hard kill is held as a dead letter, listed, and sent again by retry alone', async () => {
  await using folder = await tempFolder()
  let hanging = true
  await using service = await new ScriptedService({
    answers: (request) => (hanging && request.file?.content?.includes('b') === true ? { fault: 'hang' } : {}),
  }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (const name of ['a', 'b', 'c']) await writeFile(join(source, `${name}.csv`), name)
  const at = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key', '--on-ambiguous', 'hold']
  const flags = [...at, '--takeover-ms', '1000']

  const killed = startSluice(['run', source, ...flags])
  await until('all are sent', 30_000, () => service.requests.length === 3 && service.charged >= 2)
  await until('two are recorded', 30_000, async () => (await readStore(out)).records.size === 2)
  killed.child.kill('SIGKILL')
  await killed.finished
  hanging = false
  const held = await sluice(['run', source, ...flags])
  expect(held.code).toBe(2)
  expect(held.stdout).toMatch(/b\.csv: ambiguous, .*sluice retry --code ambiguous/)
  expect(service.requests).toHaveLength(3)
  expect((await readStore(out)).letters.get('b.csv')?.failure).toMatchObject({ code: 'ambiguous', stage: 'parse' })

  const status = JSON.parse((await sluice(['status', source, '--json', '--out', out])).stdout) as object
  expect(status).toMatchObject({
    failed: 1,
    done: 2,
    ambiguous: [{ key: 'b.csv', at: expect.stringMatching(/^\d{4}-/) }],
  })
  const retried = await sluice(['retry', source, '--code', 'ambiguous', ...flags])
  expect({ code: retried.code, requests: service.requests.length }).toEqual({ code: 0, requests: 4 })
  expect(retried.stdout).toMatch(/ambiguous: 1 request/)
  expect((await readStore(out)).letters.size).toBe(0)
  const after = JSON.parse((await sluice(['status', source, '--json', '--out', out])).stdout) as object
  expect(after).toMatchObject({ failed: 0, done: 3, ambiguous: [] })
}, 240_000)
