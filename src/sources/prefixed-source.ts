import type { Failure } from '#src/document/failure.ts'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import type { KnownVersions, Source, SourceChange, SourceWatch } from '#src/ports/source.ts'

/*
 * A source whose documents have a prefix in their keys, so that several sources share one store. Ledger, queue, records
 * and messages use the full key. Only the source itself, and its globs, use the part after the prefix.
 */

/** `prefix` has no slash at its end; an empty one changes nothing. */
export function withPrefix(inner: Source, prefix: string): Source {
  if (prefix === '') return inner
  const { addressOf, pageAddressOf, skips, fetch } = inner
  return {
    ...inner,
    async *list(signal, known) {
      const ofInner = known === undefined ? undefined : knownWithout(prefix, known)
      for await (const item of inner.list(signal, ofInner)) yield { ...item, key: withKeyPrefix(prefix, item.key) }
    },
    async open(key, signal) {
      const innerKey = withoutPrefix(prefix, key)
      return innerKey === null ? outside(key, prefix) : inner.open(innerKey, signal)
    },
    ...(fetch === undefined
      ? {}
      : {
          fetch: async (key: SourceKey, signal: AbortSignal) => {
            const innerKey = withoutPrefix(prefix, key)
            return innerKey === null ? outside(key, prefix) : fetch(innerKey, signal)
          },
        }),
    ...(skips === undefined ? {} : { skips: (key: SourceKey) => skips(withoutPrefix(prefix, key) ?? key) }),
    ...(pageAddressOf === undefined
      ? {}
      : { pageAddressOf: (key: SourceKey) => pageAddressOf(withoutPrefix(prefix, key) ?? key) }),
    ...(addressOf === undefined ? {} : { addressOf: (key: SourceKey) => addressOf(withoutPrefix(prefix, key) ?? key) }),
  }
}

const knownWithout = (prefix: string, known: KnownVersions): KnownVersions =>
  async function* (signal) {
    for await (const [key, version] of known(signal)) {
      const innerKey = withoutPrefix(prefix, key)
      if (innerKey !== null) yield [innerKey, version]
    }
  }

const outside = (key: SourceKey, prefix: string): Failure => ({
  code: 'vanished',
  stage: 'read',
  message: `${JSON.stringify(key)} is not below the prefix "${prefix}".`,
})

export function watchWithPrefix(inner: SourceWatch, prefix: string): SourceWatch {
  if (prefix === '') return inner
  const prefixed = (change: SourceChange): SourceChange => ({ ...change, key: withKeyPrefix(prefix, change.key) })
  return {
    async *changes(signal, onListed) {
      for await (const batch of inner.changes(signal, onListed)) yield batch.map(prefixed)
    },
    rescan: () => inner.rescan(),
  }
}

const withKeyPrefix = (prefix: string, key: SourceKey): SourceKey => sourceKey(`${prefix}/${key}`)

/** Strips the prefix from a key; null for a key outside the prefix. */
export function withoutPrefix(prefix: string, key: SourceKey): SourceKey | null {
  if (prefix === '') return key
  return key.startsWith(`${prefix}/`) ? sourceKey(key.slice(prefix.length + 1)) : null
}
