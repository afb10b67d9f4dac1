import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { SetupError } from '#src/document/setup-error.ts'
import type { FeedStorage } from '#src/ports/feed-storage.ts'
import type { FeedEntry } from './change.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** Maximum number of entries of a segment, and of a part of a base. */
export const SEGMENT_ENTRIES = 10_000

const digits = (number: number): string => String(number).padStart(10, '0')

export const segmentName = (number: number): string => `${digits(number)}.jsonl.gz`
export const basePartName = (segments: number, part: number): string =>
  `base-${digits(segments)}-${digits(part)}.jsonl.gz`
/** Commit marker of a base, written after all of its parts. */
export const baseName = (segments: number): string => `base-${digits(segments)}.json`

/** Files below `changes/`, by their names. */
export interface FeedNames {
  /** Numbers of segments, ascending. */
  readonly segments: readonly number[]
  /** Number of segments that each complete base replaces, ascending. */
  readonly bases: readonly number[]
  /** Parts of bases, complete or not. */
  readonly parts: readonly { readonly segments: number; readonly name: string }[]
}

export function readNames(names: readonly string[]): FeedNames {
  const numbers = (pattern: RegExp): number[] =>
    names.flatMap((name) => {
      const [, number] = pattern.exec(name) ?? []
      return number === undefined ? [] : [Number(number)]
    })
  const parts = names.flatMap((name) => {
    const [, segments] = /^base-(\d{10})-\d{10}\.jsonl\.gz$/.exec(name) ?? []
    return segments === undefined ? [] : [{ segments: Number(segments), name }]
  })
  return { segments: numbers(/^(\d{10})\.jsonl\.gz$/), bases: numbers(/^base-(\d{10})\.json$/), parts }
}

export async function packEntries(entries: readonly FeedEntry[]): Promise<Buffer> {
  return pack(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

/** @throws {SetupError} if it is absent or damaged */
export async function readEntries(storage: FeedStorage, name: string): Promise<readonly FeedEntry[]> {
  const packed = await storage.read(name)
  if (packed === null) {
    throw new SetupError(
      `changes/${name} of the store is missing: another process compacted the feed, or it was removed. Run the command again`,
    )
  }
  try {
    const text = (await unpack(packed)).toString('utf8')
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as FeedEntry]))
  } catch (error) {
    throw new SetupError(
      `changes/${name} of the store cannot be read: remove the folder changes/, and start again with a full export`,
      { cause: error },
    )
  }
}
