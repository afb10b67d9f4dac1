import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createEngine, type Engine } from '../src/server/create-engine.ts'
import { shared } from '../../../test/support/shared.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { askEngine, csvFile, parseWith } from './support/engine-client.ts'

const { path: folder } = await shared(tempFolder())
// Runs between the end of the engine and that of the folder.
afterAll(() => expect(readdirSync(folder)).toEqual([]))
const engine = await shared(createEngine({ temporaryFolder: folder, children: 1, maxFileBytes: 2 * 1024 ** 2 }))

const post = (parts: Readonly<Record<string, string | File>>) => parseWith(engine, { parts })

/** A body that no client of forms writes. */
const postRaw = (body: string, boundary = 'b') =>
  askEngine(engine, '/v2/parse', { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } })

/** `fetch` sets neither `Host` nor what browsers set. */
async function askAs(headers: Readonly<Record<string, string>>, { url }: Engine = engine): Promise<number | undefined> {
  const request = httpRequest(`${url}/v2/parse/formats`, { headers })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test('the engine refuses browser requests of another origin, and serves programs', async () => {
  const { host, port } = new URL(engine.url)
  const asked: readonly (readonly [number, Record<string, string>])[] = [
    [403, { origin: 'https://evil.example' }],
    [403, { origin: 'null' }],
    [403, { origin: 'http://localhost:1' }],
    [403, { 'sec-fetch-site': 'cross-site' }],
    [421, { host: 'evil.example' }],
    [421, { host: `127.0.0.1.evil.example:${port}`, origin: `http://127.0.0.1.evil.example:${port}` }],
    [200, { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }],
    [200, { host: `localhost:${port}` }],
    [200, { host: `[::1]:${port}` }],
    [200, {}],
  ]
  for (const [status, headers] of asked) expect([await askAs(headers), headers]).toEqual([status, headers])
  // Where a key is required, no page can ask anything, and a proxy in front may pass any name.
  await using keyed = await createEngine({ children: 1, keys: { secret: {} } })
  const headers = { host: 'parse.example', authorization: 'Bearer secret' }
  expect([await askAs(headers, keyed), await askAs({ ...headers, origin: 'null' }, keyed)]).toEqual([200, 403])
})

test.each([
  ['/v2/parse', 'POST'],
  ['/v2/scrape', 'POST'],
  ['/v2/map', 'POST'],
  ['/v2/parse/formats', 'GET'],
])('OPTIONS %s names the method %s without a key, and another method gets 405 with the same', async (path, method) => {
  const asked = await fetch(`${engine.url}${path}`, { method: 'OPTIONS' })
  expect([asked.status, asked.headers.get('allow'), await asked.text()]).toEqual([204, `${method}, OPTIONS`, ''])
  const refused = await fetch(`${engine.url}${path}`, { method: 'DELETE' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, method])
  expect(await refused.json()).toMatchObject({ success: false, allowed_methods: [method] })
})

describe('POST /v2/parse', () => {
  test('answers with the Markdown of the document', async () => {
    const { status, body } = await post({ file: csvFile() })
    expect(status).toBe(200)
    expect(body.data?.markdown).toMatch(/\|\s*Ada\s*\|\s*36\s*\|/)
    expect(body.data?.metadata).toMatchObject({ sourceURL: 'people.csv', statusCode: 200, contentType: 'text/csv' })
  })

  test.each([
    ['before the file', ['options', 'file']],
    ['after the file', ['file', 'options']],
  ])('reads options %s', async (_where, order) => {
    const parts: Record<string, string | File> = { file: csvFile(), options: '{"formats":["links"]}' }
    const { body } = await post(Object.fromEntries(order.map((name) => [name, parts[name] ?? ''])))
    expect(body.data).not.toHaveProperty('markdown')
    expect(body.data).toHaveProperty('links')
  })

  test('reads options sent as a JSON part and as a Blob', async () => {
    const boundary = 'xyz'
    const raw = [
      `--${boundary}`,
      'Content-Disposition: form-data; name="options"',
      'Content-Type: application/json',
      '',
      '{"formats":[{"type":"links"}]}',
      `--${boundary}`,
      'Content-Disposition: form-data; name="file"; filename="a.csv"',
      'Content-Type: text/csv',
      '',
      'a,b\n1,2',
      `--${boundary}--`,
      '',
    ].join('\r\n')
    expect((await postRaw(raw, boundary)).body).toMatchObject({ success: true, data: { links: [] } })
    const blob = new File(['{"formats":["links"]}'], 'blob', { type: 'application/json' })
    expect(await post({ file: csvFile(), options: blob })).toMatchObject({
      status: 200,
      body: { data: { links: [] } },
    })
  })

  test.each([
    ['raw UTF-8', 'filename="résumé 文書.csv"'],
    ['RFC 5987', "filename*=UTF-8''r%C3%A9sum%C3%A9%20%E6%96%87%E6%9B%B8.csv"],
  ])('reads a file name in %s', async (_form, parameter) => {
    const raw = `--b\r\nContent-Disposition: form-data; name="file"; ${parameter}\r\nContent-Type: text/csv\r\n\r\na,b\n1,2\r\n--b--\r\n`
    expect((await postRaw(raw)).body.data?.metadata?.sourceURL).toBe('résumé 文書.csv')
  })

  test('uses the media type of a file without a name', async () => {
    const raw =
      '--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\na,b\r\n--b--\r\n'
    expect(await postRaw(raw)).toMatchObject({ status: 400, body: { code: 'UNSUPPORTED_FILE_TYPE' } })
  })

  test('names each wrong field', async () => {
    const options = JSON.stringify({ timeout: 300_001, parsers: [{ type: 'pdf', maxPages: 0 }], actionz: [1] })
    const { status, body } = await post({ file: csvFile(), options })
    expect(status).toBe(400)
    expect(body).toMatchObject({ success: false, code: 'BAD_REQUEST' })
    const paths = body.details?.map((problem) => (problem['path'] as unknown[]).join('.'))
    expect(paths).toEqual(expect.arrayContaining(['timeout', 'parsers.0.maxPages', '']))
  })

  test.each([
    ['no file', { options: '{}' }, 400, 'BAD_REQUEST'],
    ['options that are no JSON', { file: csvFile(), options: '{' }, 400, 'BAD_REQUEST'],
    ['an unknown type', { file: new File(['x'], 'x.exe') }, 400, 'UNSUPPORTED_FILE_TYPE'],
    ['a damaged document', { file: new File(['PK\u0003\u0004nothing'], 'x.docx') }, 400, 'DOCUMENT_CORRUPT'],
    ['too many bytes', { file: csvFile('big.csv', 'x'.repeat(2 * 1024 ** 2 + 1)) }, 413, 'PAYLOAD_TOO_LARGE'],
    ['a file under another name', { document: csvFile() }, 400, 'BAD_REQUEST'],
  ])('refuses %s', async (_what, parts, status, code) => {
    const answer = await post(parts)
    expect(answer).toMatchObject({ status, body: { success: false, code } })
    expect(answer.body.error).not.toBe('')
  })

  test('accepts a file of exactly the size limit', async () => {
    const { status } = await post({ file: csvFile('full.csv', 'x'.repeat(2 * 1024 ** 2)) })
    expect(status).toBe(200)
  })

  test('answers 404 in the same shape', async () => {
    const response = await fetch(`${engine.url}/v2/nowhere`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ success: false, error: 'Not Found' })
  })

  test('converts a small Office document without a file', async () => {
    const engineFolder = join(folder, readdirSync(folder)[0] ?? '')
    const before = statSync(engineFolder).mtimeMs
    expect((await post({ file: csvFile() })).body.data?.markdown).toContain('| Ada | 36 |')
    expect(statSync(engineFolder).mtimeMs).toBe(before)
  })

  test('returns a complete answer for a document too long for the pipe to its converter', async () => {
    const rows = Array.from({ length: 100_000 }, (_, row) => `row ${row},€`)
    const { body } = await post({ file: csvFile('long.csv', ['name,sign', ...rows].join('\n')) })
    expect(body.data?.markdown?.match(/^\| row \d+ \| € \|$/gm)).toHaveLength(rows.length)
  })

  test('leaves no file behind after an answer', () => {
    const [own] = readdirSync(folder)
    expect(readdirSync(join(folder, own ?? ''))).toEqual([])
  })
})
