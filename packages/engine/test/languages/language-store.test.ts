import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, dirname } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LanguageStore } from '../../src/languages/language-store.ts'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { fileInPackage, PACKAGE_VERSION, packageOf } from '../../src/languages/language-data.ts'
import { listen } from '../../../../test/support/listen.ts'

interface NpmRegistry extends AsyncDisposable {
  readonly url: string
  /** Packages that were downloaded, in order. */
  readonly downloads: readonly string[]
}

/** A registry that npm installs from, with a package of OCR data for each code; `folder` may be written. */
async function npmRegistry(folder: string, data: Readonly<Record<string, Buffer>>): Promise<NpmRegistry> {
  const archives = new Map<string, Buffer>()
  for (const [code, bytes] of Object.entries(data)) archives.set(packageOf(code), await archiveOf(folder, code, bytes))
  const downloads: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const name = path.replace(/\.tgz$/, '')
    const archive = archives.get(name)
    if (archive === undefined) {
      response.writeHead(404).end('{}')
      return
    }
    if (path.endsWith('.tgz')) {
      downloads.push(name)
      response.end(archive)
      return
    }
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    const dist = { tarball: `http://${request.headers.host}/${name}.tgz`, integrity }
    const version = { name, version: PACKAGE_VERSION, dist }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: PACKAGE_VERSION }, versions: { [PACKAGE_VERSION]: version } }),
    )
  })
  const listening = await listen(server)
  return { ...listening, url: `${listening.url}/`, downloads }
}

async function archiveOf(folder: string, code: string, bytes: Buffer): Promise<Buffer> {
  const root = join(folder, code)
  const file = join(root, 'package', fileInPackage(code))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, gzipSync(bytes))
  const manifest = { name: packageOf(code), version: PACKAGE_VERSION }
  await writeFile(join(root, 'package', 'package.json'), JSON.stringify(manifest))
  const archive = join(root, 'archive.tgz')
  await promisify(execFile)('tar', ['czf', archive, '-C', root, 'package'])
  return readFile(archive)
}

const GERMAN = Buffer.from('data that stands for what Tesseract reads German with')
const sha256 = createHash('sha256').update(GERMAN).digest('hex')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'languages-'))
})
afterEach(() => rm(folder, { recursive: true }))

function storeFor(registry: string, checksum = sha256) {
  const lines: string[] = []
  const store = new LanguageStore({
    folder: join(folder, 'data'),
    notify: (line) => void lines.push(line),
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, npm_config_registry: registry },
    languages: { deu: { name: 'German', sha256: checksum } },
  })
  return { store, lines }
}

test('OCR data is fetched once for all waiting documents, reported in one line, and kept', async () => {
  await using registry = await npmRegistry(folder, { deu: GERMAN })
  const { store, lines } = storeFor(registry.url)
  expect(await Promise.all([store.obtain(['deu']), store.obtain(['deu', 'xxx']), store.obtain([])])).toEqual([
    true,
    true,
    false,
  ])
  expect(lines).toEqual(['fetching OCR data for German from the npm registry, once'])
  expect(registry.downloads).toEqual(['@tesseract.js-data/deu'])
  expect(await readFile(join(store.folder, 'deu.traineddata'))).toEqual(GERMAN)
  // Nothing of npm's is left, and another run needs no registry.
  expect(await readdir(store.folder)).toEqual(['deu.traineddata'])
  const later = storeFor('http://127.0.0.1:1/')
  expect(await later.store.obtain(['deu'])).toBe(true)
  expect(later.lines).toEqual([])
}, 240_000)

test('OCR data with a wrong checksum is refused', async () => {
  await using registry = await npmRegistry(folder, { deu: Buffer.from('something else') })
  const { store, lines } = storeFor(registry.url)
  expect(await store.obtain(['deu'])).toBe(false)
  expect(lines[1]).toBe(
    'no OCR data for German (its checksum differs from the expected one): pages in German are partial until it can be fetched',
  )
  expect(await readdir(store.folder)).toEqual([])
}, 240_000)

test('OCR data from an unreachable registry is requested once, with the cause in the log', async () => {
  const { store, lines } = storeFor('http://127.0.0.1:1/')
  expect(await store.obtain(['deu'])).toBe(false)
  expect(await store.obtain(['deu'])).toBe(false)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(
    /^no OCR data for German \(npm install ended with ECONNREFUSED\): pages in German are partial/,
  )
}, 240_000)
