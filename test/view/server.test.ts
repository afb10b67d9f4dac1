import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OutputStore } from '#src/ports/output-store.ts'
import { outputs, recordOf } from '../support/documents.ts'
import { NASTY_KEYS } from '../support/nasty-keys.ts'
import { serve } from './support/served.ts'

const keyed = (path: string, key: string): string => `${path}?${new URLSearchParams({ key }).toString()}`

const commit = async (store: OutputStore, key: string, markdown = `# ${key}`): Promise<void> => {
  const files = outputs({ 'document.md': markdown, 'blocks.jsonl': '' })
  await store.documents.commit(recordOf(key, files), files)
}

/** A key with half of a surrogate pair stands in no address: its document is listed and has no page. */
const hasAddress = (key: string): boolean => key.isWellFormed()

test('view serves a page for each document of any key, each with a strict policy', async () => {
  await using served = await serve(async (store) => {
    for (const key of NASTY_KEYS) await commit(store, key)
  })
  const list = await served.get('documents')
  expect([...list.text.matchAll(/<tr role="row">/g)].length).toBe(NASTY_KEYS.length + 1)
  const check = async (key: string, path: string): Promise<void> => {
    const { status, headers } = await served.get(keyed(path, key))
    const expected = hasAddress(key) || path === 'content/markdown' ? 200 : 404
    expect([key, path, status]).toEqual([key, path, expected])
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/)
  }
  for (const key of NASTY_KEYS) {
    const paths = ['document', 'content/markdown', 'compare', 'chunks', 'api/document', 'api/chunks']
    await Promise.all(paths.map((path) => check(key, path)))
  }
  const { text } = await served.get('api/documents')
  const { rows } = JSON.parse(text) as { readonly rows: readonly { readonly key: string }[] }
  expect(rows.map(({ key }) => key)).toEqual(expect.arrayContaining(NASTY_KEYS.filter(hasAddress)))
  expect(served.errors).toEqual([])
}, 240_000)

test.each([
  'record.json',
  '../store.json',
  '../../../../../../etc/passwd',
  'a.pdf/../../store.json',
  '..%2f..%2fetc%2fpasswd',
  '\0',
  'a.pdf\0.md',
  'x'.repeat(4_000),
  '',
])('a key that names no document reads nothing: %j', async (key) => {
  await using served = await serve((store) => commit(store, 'a.pdf'))
  expect((await served.get(keyed('document', key))).status).toBe(404)
  expect((await served.get(keyed('content/markdown', key))).text).toContain('parsed without Markdown')
  expect((await served.get(keyed('page.png', key))).status).toBe(404)
  expect((await served.get(keyed('chunks', key))).status).toBe(key === '' ? 400 : 404)
  expect(served.errors).toEqual([])
})

test('view serves each stylesheet, script and image that its pages and modules name', async () => {
  await using served = await serve((store) => commit(store, 'a.pdf'))
  const named = new Set<string>()
  const collect = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/(?:assets|\.)\/([\w-]+\.(?:css|js|svg))\b/g)) named.add(name)
  }
  for (const path of ['', keyed('document', 'a.pdf'), keyed('content/markdown', 'a.pdf')]) {
    collect((await served.get(path)).text)
  }
  for (const name of named) {
    const { status, headers, text } = await served.get(`assets/${name}`)
    expect([name, status, headers.get('content-type')]).toEqual([name, 200, expect.stringMatching(/^(?:text|image)\//)])
    collect(text)
  }
  expect([...named].toSorted()).toEqual(await readdir(new URL('../../src/view/server/assets', import.meta.url)))
  expect(served.errors).toEqual([])
})

test.each(['assets/../view-app.ts', 'assets/..%2fview-app.ts', 'assets/%2e%2e/view-app.ts', 'assets/.', 'nothing'])(
  'view answers an unknown address with 404: %s',
  async (path) => {
    await using served = await serve((store) => commit(store, 'a.pdf'))
    // `fetch` would resolve the dots by itself.
    const { hostname, port, pathname } = new URL(served.url)
    const status = await new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: `${pathname}${path}` }, (answer) => resolve(answer.statusCode))
      sent.on('error', reject).end()
    })
    expect(status).toBe(404)
  },
)

test('view shows a half-written, damaged or vanishing store as far as it is readable', async () => {
  const damage: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
    'no-markdown.pdf': (folder) => rm(join(folder, 'document.md')),
    'cut-blocks.pdf': (folder) =>
      writeFile(join(folder, 'blocks.jsonl'), '{"pageNumber":1,"id":"p1.b0","type":"text","bbox":[0,"x"]}\n{"pageNu'),
    'no-record.pdf': (folder) => rm(join(folder, 'record.json')),
    'cut-record.pdf': (folder) => truncate(join(folder, 'record.json'), 40),
    'no-json.pdf': (folder) => writeFile(join(folder, 'record.json'), 'null'),
    'no-folder.pdf': (folder) => rm(folder, { recursive: true }),
  }
  await using served = await serve(async (store) => {
    for (const key of Object.keys(damage)) await commit(store, key)
  })
  for (const [key, hurt] of Object.entries(damage)) await hurt(join(served.folder, 'documents', key))
  expect((await readdir(join(served.folder, 'documents'))).length).toBe(5)
  for (const key of Object.keys(damage)) {
    for (const path of ['document', 'content/markdown', 'compare', 'chunks', 'api/document', 'api/chunks']) {
      const { status } = await served.get(keyed(path, key))
      expect([key, path, [200, 404].includes(status)]).toEqual([key, path, true])
    }
  }
  expect(served.errors).toEqual([])
})

test('view refuses other hosts, other pages and wrong tokens before any read, and unpermitted writes', async () => {
  await using served = await serve((store) => commit(store, 'a.pdf'), { retry: () => expect.unreachable() })
  const { hostname, port, pathname } = new URL(served.url)
  const ask = (path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path, headers, method }, (answer) => resolve(answer.statusCode ?? 0))
      sent.on('error', reject).end()
    })
  expect(await ask(pathname, {})).toBe(200)
  expect(await ask(pathname, { host: `rebound.example:${port}` })).toBe(421)
  expect(await ask(pathname, { origin: 'https://evil.example' })).toBe(403)
  expect(await ask(pathname, { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await ask('/', {})).toBe(404)
  expect(await ask('/api/documents', {})).toBe(404)
  expect(await ask(`${pathname.slice(0, -2)}/`, {})).toBe(404)
  expect(await ask(`/documents?token=${pathname.slice(1, -1)}`, { cookie: `token=${pathname.slice(1, -1)}` })).toBe(404)
  expect(await ask(`${pathname}actions/retry`, { 'content-type': 'application/x-www-form-urlencoded' }, 'POST')).toBe(
    403,
  )
  expect(await ask(`${pathname}actions/pause`, { origin: 'null' }, 'POST')).toBe(403)
})

test.each([
  ['documents?serach=a', 'unknown parameter: serach; this address takes q, outcome'],
  ['documents?sort=size', 'wrong value of sort (key, at, credits'],
  ['search?query=<b>', 'unknown parameter: query; this address takes q.'],
  ['chunks', 'key is missing'],
  ['chunks?key=a.pdf&page=0', 'wrong value of page (from 1; 50 chunks each)'],
])('a list refuses a wrong address instead of showing everything: %s', async (path, message) => {
  await using served = await serve((store) => commit(store, 'a.pdf'))
  const { status, text } = await served.get(path)
  expect([status, text.includes(`The address is wrong: ${message}`), text.includes('a.pdf')]).toEqual([
    400,
    true,
    false,
  ])
})

test('names and texts show characters that reorder them or have no width', async () => {
  const key = 'photo\u202egpj.p\u200bdf'
  await using served = await serve((store) =>
    commit(store, key, '# Pay\u200bpal \u2066oak\u2069 می\u200cخواهم 👩\u200d🔧'),
  )
  const shown = 'photo[U+202E]gpj.p[U+200B]df'
  for (const path of [
    'documents',
    'search?q=oak',
    keyed('document', key),
    keyed('chunks', key),
    keyed('compare', key),
  ]) {
    const { text } = await served.get(path)
    const outside = text.replaceAll(/<[^>]*>/g, '')
    expect([path, outside.includes(shown), /[\u202e\u2066\u200b]/.test(outside)]).toEqual([path, true, false])
  }
  const { text } = await served.get(keyed('chunks', key))
  expect(text).toContain('# Pay[U+200B]pal [U+2066]oak[U+2069] می\u200cخواهم 👩\u200d🔧')
  expect((await served.get('documents?outcome=don')).text).toContain('0 documents')
})
