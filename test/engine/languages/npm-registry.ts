import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { fileInPackage, PACKAGE_VERSION, packageOf } from '#src/engine/languages/language-data.ts'
import { listen } from '../../support/listen.ts'

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string
  /** Packages that were downloaded, in order. */
  readonly downloads: readonly string[]
}

/** A registry that npm installs from, with a package of OCR data for each code; `folder` may be written. */
export async function npmRegistry(folder: string, data: Readonly<Record<string, Buffer>>): Promise<NpmRegistry> {
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
