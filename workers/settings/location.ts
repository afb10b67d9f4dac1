import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '#config/settings.ts'
import type { SourceId, StoreId } from '#src/document/ids.ts'
import { SetupError } from '#src/document/setup-error.ts'

export interface S3Location {
  readonly kind: 's3'
  readonly bucket: string
  readonly prefix: string
}

/** Location of a source or store, parsed from the command line. */
export type Location =
  | { readonly kind: 'folder'; readonly path: string }
  | S3Location
  /** A list of URLs in a file, or `-` for standard input. */
  | { readonly kind: 'urls'; readonly path: string }
  /** A website, or its part below a path. */
  | { readonly kind: 'site'; readonly url: URL }

/**
 * Parses a name, a folder by default: `s3://bucket/prefix`, `https://docs.example.com`, `file:///data/in`,
 * `urls:list.txt`.
 */
export function locationOf(name: string): Location {
  const s3 = /^s3:\/\/([^/]+)\/?(.*)$/is.exec(name)
  if (s3 !== null) return { kind: 's3', bucket: s3[1] ?? '', prefix: s3[2] ?? '' }
  if (name.startsWith('urls:')) return { kind: 'urls', path: pathOf(name.slice('urls:'.length)) }
  if (/^https?:\/\//i.test(name)) return { kind: 'site', url: siteUrl(name) }
  if (isFileUrl(name)) return { kind: 'folder', path: pathOf(name) }
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|s3:)/i.test(name)) {
    throw new SetupError(`"${name}" is not a folder, s3://bucket/prefix or the address of a website`)
  }
  return { kind: 'folder', path: resolve(name) }
}

function siteUrl(name: string): URL {
  const url = URL.parse(name)
  if (url === null) throw new SetupError(`"${name}" is not a valid address of a website`)
  if (url.username !== '' || url.password !== '') {
    throw new SetupError(
      'the address of the website contains a login, which would appear in records and logs: remove it',
    )
  }
  url.hash = ''
  return url
}

const isFileUrl = (name: string): boolean => /^file:\/\//i.test(name)

function pathOf(name: string): string {
  if (!isFileUrl(name)) return name
  try {
    return fileURLToPath(name)
  } catch {
    throw new SetupError(`"${name}" is not a file URL of this machine: write file:///absolute/path, or the path alone`)
  }
}

export interface Folders {
  /** Folder of the private Redis's data and of the log. */
  readonly state: string
  /** Folder of fetched programs and OCR data; shared by all runs of a user. */
  readonly cache: string
  /** Folder of paid answers that a store refused; outside the store's folder, whose disk may be full. */
  readonly spool: string
}

const isFolder = (store: string): boolean => !/^[a-z0-9+.-]+:\/\//i.test(store)

/**
 * The state of a folder store is inside it: removing the folder removes everything. The state of a bucket is in the
 * home.
 */
export function foldersOf(settings: Pick<Settings, 'out' | 'stateDir' | 'cacheDir' | 'spool'>): Folders {
  const cache = settings.cacheDir ?? join(homedir(), '.cache', 'sluice')
  const spool = resolve(settings.spool ?? join(homedir(), '.local', 'state', 'sluice', 'spool'))
  if (settings.stateDir !== undefined) return { state: resolve(settings.stateDir), cache: resolve(cache), spool }
  const name = createHash('sha256').update(settings.out).digest('hex').slice(0, 16)
  const state = isFolder(settings.out)
    ? resolve(settings.out, '.sluice')
    : join(homedir(), '.local', 'state', 'sluice', name)
  return { state, cache: resolve(cache), spool }
}

/** Pipeline id in Redis: one source into one store, on any mount. 16 hexadecimal digits. */
export function pipelineId(store: StoreId, source: SourceId): string {
  return createHash('sha256').update(`${store}\n${source}`).digest('hex').slice(0, 16)
}

/** The address of a service for records and messages, whose readers may lack its login. */
export function originAndPath(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
