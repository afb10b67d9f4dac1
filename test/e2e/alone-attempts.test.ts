import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { errorReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

test('run: a document that is alone with a service that always answers 500 is sent five times, and its letter says so', async () => {
  await using folder = await temporaryFolder()
  await using service = await new ScriptedService({ answers: () => errorReply(500, 'Internal Server Error') }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'a.html'), '<p>a')
  const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key']
  const ran = await sluice(['run', source, '--out', out, ...api])
  const letter = (await readStore(out)).letters.get('a.html')
  expect([ran.code, service.requests.length, letter?.attempts], ran.stdout).toEqual([2, 5, 5])
}, 240_000)
