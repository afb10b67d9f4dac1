import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { breachesOfSchemas } from '../support/published-schemas.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

test('a service parses documents of the embedded engine again, once, and each record names its parser', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (const name of ['a', 'b']) await writeFile(join(source, `${name}.html`), `<p>Document ${name}.`)
  const url = new URL(service.url)
  url.username = 'login'
  url.password = 'URLSECRET'
  const paid = ['--parse-api-url', url.href]
  const run = (...more: readonly string[]) => sluice(['run', source, '--out', out, ...more])
  const parsers = async () =>
    Object.fromEntries([...(await readStore(out)).records].map(([key, { parser }]) => [key, parser?.class]))

  expect((await run()).code).toBe(0)
  expect(await parsers()).toEqual({ 'a.html': 'embedded', 'b.html': 'embedded' })

  // A copy of what the embedded engine did, and its names, are kept where that is asked for.
  await cp(join(source, 'a.html'), join(source, 'copy.html'))
  const kept = await run(...paid, '--accept-local')
  expect(kept.code, kept.stderr).toBe(0)
  expect(service.charged).toBe(0)
  expect(await parsers()).toEqual({ 'a.html': 'embedded', 'b.html': 'embedded', 'copy.html': 'embedded' })

  const plan = await sluice(['plan', source, '--out', out, ...paid])
  expect(plan.stdout).toMatch(/3 parser changed/)
  expect(plan.stdout).toMatch(
    /2 documents parsed by the embedded engine before: the service will parse them again for 2 credits/,
  )

  const first = await run(...paid)
  expect(first.stderr).toMatch(
    /3 documents parsed by the embedded engine before: .* for up to 3 credits \(--accept-local/,
  )
  expect(first.code).toBe(0)
  expect(service.charged).toBe(2)
  const bought = await readStore(out)
  expect(await parsers()).toEqual({ 'a.html': 'service', 'b.html': 'service', 'copy.html': 'service' })
  expect(await breachesOfSchemas(bought)).toEqual([])
  expect(JSON.stringify([...bought.records.values()])).not.toContain('URLSECRET')
  expect(bought.records.get('a.html')?.parser?.origin).toBe(service.url)

  // Both receipts of each content are there, and what a service did satisfies the engine, another address and a copy.
  const receipts = (await readdir(join(out, 'receipts'), { recursive: true })).filter((name) => name.endsWith('.gz'))
  expect(receipts.map((name) => name.replace(/^.*-/, '')).toSorted()).toEqual(
    ['embedded', 'embedded', 'service', 'service'].map((name) => `${name}.json.gz`),
  )
  for (const name of receipts) {
    expect(JSON.parse(gunzipSync(await readFile(join(out, 'receipts', name))).toString())).toHaveProperty(
      'success',
      true,
    )
  }
  await cp(join(source, 'b.html'), join(source, 'later.html'))
  const back = await run()
  expect(back.code, back.stderr).toBe(0)
  expect(back.stdout).toMatch(/sent: 1 answered from receipts/)
  expect((await parsers())['later.html']).toBe('service')
  expect(service.charged).toBe(2)
}, 240_000)
