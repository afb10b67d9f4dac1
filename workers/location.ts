import { resolve } from 'node:path'

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

/** A name is a folder unless it says otherwise: `s3://bucket/prefix`, `file:///data/in`, `urls:list.txt`. */
export function locationOf(name: string): Location {
  const s3 = /^s3:\/\/([^/]+)\/?(.*)$/is.exec(name)
  if (s3 !== null) return { kind: 's3', bucket: s3[1] ?? '', prefix: s3[2] ?? '' }
  if (name.startsWith('urls:')) return { kind: 'urls', path: pathOf(name.slice('urls:'.length)) }
  if (isFileUrl(name)) return { kind: 'folder', path: pathOf(name) }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) {
    throw new Error(`"${name}" is neither a folder nor s3://bucket/prefix`)
  }
  return { kind: 'folder', path: resolve(name) }
}

const isFileUrl = (name: string): boolean => /^file:\/\//i.test(name)
const pathOf = (name: string): string => (isFileUrl(name) ? decodeURIComponent(new URL(name).pathname) : name)
