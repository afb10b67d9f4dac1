import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { Random } from '../support/random.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { seedFrom } from '../support/seed.ts'

const SEED = seedFrom('ROUTE_SEED', 1)

test('a never-send document is parsed on this machine, and no byte of it reaches the service', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  const random = new Random(SEED)
  const folders = ['hr', 'HR/2024', 'legal/a,b', 'public', 'x/private', 'notes']
  const isKept = (key: string): boolean => /^(hr|legal)\//i.test(key) || /\/private\//.test(key) || /secret/.test(key)
  const keys = new Map<string, string>()
  for (let number = 0; number < 24; number += 1) {
    const [where = ''] = [folders[random.below(folders.length)]]
    const key = `${where}/${random.below(5) === 0 ? 'secret-' : ''}${number}.html`
    const word = `WORD${number}Q${random.below(1e9)}`
    keys.set(key, word)
    await mkdir(dirname(join(source, key)), { recursive: true })
    await writeFile(join(source, key), `<p>Document ${word}.`)
  }
  const rules = JSON.stringify([{ match: 'notes/**', route: 'local' }])
  const never = 'legal,{hr,payroll}/**,private,secret-*,no-such-folder/**'
  const flags = ['--parse-api-url', service.url, '--never-send', never, '--rules', rules]
  const plan = await sluice(['plan', source, '--out', out, ...flags, '--json'])
  expect(plan.code, plan.stderr).toBe(0)
  const ran = await sluice(['run', source, '--out', out, ...flags])
  expect(ran.code, `seed ${SEED}: ${ran.stderr}`).toBe(0)
  expect(ran.stderr).toContain('never-send: "no-such-folder/**" matches no document of this source')

  const { records } = await readStore(out)
  const wire = service.requests.map(({ parts }) => parts.map(({ content }) => String(content)).join('')).join('\n')
  for (const [key, word] of keys) {
    const local = isKept(key) || key.startsWith('notes/')
    expect(wire.includes(word), `seed ${SEED}: ${key}`).toBe(!local)
    expect(records.get(key)?.parser?.class, `seed ${SEED}: ${key}`).toBe(local ? 'embedded' : 'service')
  }
  expect(service.charged).toBe([...keys.keys()].filter((key) => !isKept(key) && !key.startsWith('notes/')).length)

  // A later run finds all of it done.
  const again = await sluice(['run', source, '--out', out, ...flags])
  expect(again.code, again.stderr).toBe(0)
  expect(service.requests.length).toBe(service.charged)
}, 240_000)

test('a never-send glob without possible matches, or a remote model, stops the run before any request', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const source = join(folder.path, 'in')
  await mkdir(source)
  await writeFile(join(source, 'a.html'), '<p>A document.')
  const flags = ['run', source, '--out', join(folder.path, 'out'), '--parse-api-url', service.url, '--never-send']
  for (const glob of ['/home/me/private/**', '~/private', '../private', 'hr{a', '[hr']) {
    const refused = await sluice([...flags, glob])
    expect(refused.code, glob).toBe(1)
    expect(refused.stderr).toMatch(/never-send/i)
  }
  const model = await sluice([...flags, 'b.html'], { env: { SLUICE_ENGINE_MODEL_URL: 'https://model.example/v1' } })
  expect(model.code).toBe(1)
  expect(model.stderr).toMatch(/never-send keeps documents on this machine/)
  expect(service.requests).toEqual([])
}, 240_000)
