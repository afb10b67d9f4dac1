import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { SourceKey } from '#src/document/ids.ts'
import type { SourceChange, SourceWatch } from '#src/ports/source.ts'
import type { Notice, Notices } from '../notices.ts'
import { readS3Event } from './s3-event.ts'
import { bucketIgnoreRules } from './s3-ignore.ts'
import { headObject } from './s3-object.ts'
import { listItems, type S3Scope, s3Scope, type S3SourceOptions } from './s3-source.ts'

export interface S3WatchOptions extends S3SourceOptions {
  /** Notifications of the store, from a queue or an endpoint. The default is polling. */
  readonly notices?: Notices
  /**
   * Interval between full listings, which find changes that notifications missed. Default 3,600,000; without notices
   * 60,000.
   */
  readonly rescanMs?: number
}

/** Maximum duration of one wait for notifications. */
const PATIENCE_MS = 20_000

/** Number of concurrent checks of objects: one notification may name a thousand. */
const CHECKS_AT_ONCE = 16

/**
 * Watches a bucket. A notification only names an object: the watch reads and reports its present state. Notifications
 * are therefore idempotent: repeated, late and disordered ones do no harm, and the watch keeps no `sequencer`.
 */
export function watchS3(options: S3WatchOptions): SourceWatch {
  const scope = s3Scope(options)
  const rescanMs = options.rescanMs ?? (options.notices === undefined ? 60_000 : 3_600_000)
  let asked = new AbortController()
  return {
    rescan: () => asked.abort(new Error('a listing is asked for')),
    async *changes(signal: AbortSignal, onListed?: () => void): AsyncGenerator<readonly SourceChange[]> {
      let scanAt = 0
      while (!signal.aborted) {
        const now = performance.now()
        if (now >= scanAt || asked.signal.aborted) {
          asked = new AbortController()
          for await (const items of listItems(options, scope, signal)) if (items.length > 0) yield items
          onListed?.()
          scanAt = performance.now() + rescanMs
        }
        const waitMs = Math.max(0, Math.min(PATIENCE_MS, scanAt - performance.now()))
        const notices = await nextNotices(options.notices, waitMs, AbortSignal.any([signal, asked.signal]))
        if (notices.length > 0) yield* taken(notices, options, scope, signal)
      }
    },
  }
}

/** True if a notification concerns this source. */
export function isAbout(options: S3SourceOptions): (body: string) => boolean {
  const { prefix } = s3Scope(options)
  return (body) =>
    readS3Event(body)?.some(({ bucket, key }) => bucket === options.bucket && key.startsWith(prefix)) ?? false
}

async function nextNotices(
  notices: Notices | undefined,
  waitMs: number,
  signal: AbortSignal,
): Promise<readonly Notice[]> {
  try {
    if (notices !== undefined) return await notices.next(waitMs, signal)
    await sleep(waitMs, undefined, { signal })
    return []
  } catch (error) {
    if (signal.aborted) return []
    throw error
  }
}

/** Reports objects of notifications. Acknowledges them only when the reader asks for more. */
async function* taken(
  notices: readonly Notice[],
  options: S3WatchOptions,
  scope: S3Scope,
  signal: AbortSignal,
): AsyncGenerator<readonly SourceChange[]> {
  const read = notices.map((notice) => ({ notice, objects: readS3Event(notice.body) }))
  const objects = read.flatMap(({ objects: named }) => named ?? []).filter(({ bucket }) => bucket === options.bucket)
  const keys = new Set(objects.map(({ key }) => scope.keyOf(key, null)).filter((key) => key !== null))
  try {
    const { client, bucket } = options
    const ignored = keys.size === 0 ? null : await bucketIgnoreRules({ client, bucket, prefix: scope.prefix }, signal)
    const wanted = [...keys].filter((key) => !ignored?.ignores(key))
    const changes = await pLimit(CHECKS_AT_ONCE).map(wanted, (key) => present(key, options, scope, signal))
    const known = changes.filter((change) => change !== null)
    if (known.length > 0) yield known
    await Promise.all(read.map(({ notice, objects: named }) => (named === null ? notice.refuse() : notice.done())))
  } finally {
    // Effective only if the reader left before that, or the store was unreachable.
    await Promise.all(notices.map((notice) => notice.release()))
  }
}

async function present(
  key: SourceKey,
  options: S3WatchOptions,
  scope: S3Scope,
  signal: AbortSignal,
): Promise<SourceChange | null> {
  const objectKey = scope.prefix + key
  const found = await headObject({ client: options.client, bucket: options.bucket, objectKey }, signal)
  if (found === null) return { kind: 'gone', key }
  if (!('version' in found)) return { kind: 'unusable', key, failure: found }
  return scope.keyOf(objectKey, found.bytes) === null ? null : { kind: 'document', key, ...found }
}
