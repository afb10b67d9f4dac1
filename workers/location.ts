import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupError } from '#src/document/setup-error.ts'

export interface S3Location {
  readonly kind: 's3'
  readonly bucket: string
  readonly prefix: string
}

/** Where a source or a store is, as the command line names it. */
export type Location =
  | { readonly kind: 'folder'; readonly path: string }
  | S3Location
  /** A list of URLs in a file, or `-` for standard input. */
  | { readonly kind: 'urls'; readonly path: string }
  /** A website, or the part of one below a path. */
  | { readonly kind: 'site'; readonly url: URL }

/** A name is a folder unless it says otherwise: `s3://bucket/prefix`, `https://docs.example.com`, `file:///data/in`, `urls:list.txt`. */
export function locationOf(name: string): Location {
  const s3 = /^s3:\/\/([^/]+)\/?(.*)$/is.exec(name)
  if (s3 !== null) return { kind: 's3', bucket: s3[1] ?? '', prefix: s3[2] ?? '' }
  if (name.startsWith('urls:')) return { kind: 'urls', path: pathOf(name.slice('urls:'.length)) }
  if (/^https?:\/\//i.test(name)) return { kind: 'site', url: siteUrl(name) }
  if (isFileUrl(name)) return { kind: 'folder', path: pathOf(name) }
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|s3:)/i.test(name)) {
    throw new SetupError(`"${name}" is neither a folder nor s3://bucket/prefix nor the address of a website`)
  }
  return { kind: 'folder', path: resolve(name) }
}

function siteUrl(name: string): URL {
  const url = URL.parse(name)
  if (url === null) throw new SetupError(`"${name}" is no address of a website`)
  if (url.username !== '' || url.password !== '') {
    throw new SetupError(
      'the address of a website has a user name or password in it, which would be in every record and log',
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
    throw new SetupError(`"${name}" is no file URL of this machine: write file:///absolute/path, or the path alone`)
  }
}
