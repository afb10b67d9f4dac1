import { createHash } from 'node:crypto'
import { type SourceId, sourceId } from '#src/document/ids.ts'
import type { StoreManifest, StoreSource } from '#src/document/store-manifest.ts'
import { quoted } from '#src/kit/quoted.ts'

/** A source as named in a command, before the lookup in a store. */
export interface SourceCandidate {
  /** Identity of the source on any machine: its real path, or endpoint, bucket and prefix, or a list's name. */
  readonly identity: string
  /** `Source.url` first, then other addresses of the same source. */
  readonly addresses: readonly string[]
  readonly defaultName: string
  /** `--source-name`. */
  readonly name: string | null
  /** `--prefix`, without slashes at the ends. */
  readonly prefix: string | null
  /** User's input, for the commands that a refusal prints: this program with the source, and its store. */
  readonly typed: { readonly run: string; readonly out: string }
}

export type Resolution =
  | { readonly kind: 'known'; readonly source: StoreSource }
  /** Missing in the manifest, or under another name: the caller must write it with this entry. */
  | { readonly kind: 'added'; readonly source: StoreSource; readonly sources: readonly StoreSource[] }
  | { readonly kind: 'refused'; readonly message: string }

const digest = (text: string): SourceId => sourceId(createHash('sha256').update(text).digest('hex').slice(0, 16))

/** Id of a new source in a store. */
export const idOf = ({ name, identity }: Pick<SourceCandidate, 'name' | 'identity'>): SourceId =>
  digest(name === null ? identity : `name:${name}`)

/** Resolves a candidate to one of a store's sources. Pure; `now` is ISO 8601. */
export function resolveSource(
  candidate: SourceCandidate,
  { sources }: Pick<StoreManifest, 'sources'>,
  storeUrl: string,
  now: string,
): Resolution {
  const { name, prefix, addresses } = candidate
  const id = idOf(candidate)
  const known =
    sources.find((source) => (name === null ? source.id === id : source.name === name)) ??
    sources.find((source) => source.id === digest(candidate.identity) || addresses.includes(source.address))
  if (known !== undefined) {
    if (prefix !== null && prefix !== known.prefix) return { kind: 'refused', message: otherPrefix(known, prefix) }
    if (name === null || name === known.name) return { kind: 'known', source: known }
    const renamed = { ...known, name }
    return { kind: 'added', source: renamed, sources: sources.map((source) => (source === known ? renamed : source)) }
  }
  if (sources.length > 0 && prefix === null) {
    return { kind: 'refused', message: secondSource(candidate, sources, storeUrl) }
  }
  const taken = sources.find((source) => prefix !== null && overlap(source.prefix, prefix))
  if (taken !== undefined) return { kind: 'refused', message: takenPrefix(taken, prefix ?? '') }
  const source = {
    id,
    name: name ?? uniqueName(candidate.defaultName, sources),
    address: addresses[0] ?? '',
    prefix: prefix ?? '',
    since: now,
  }
  return { kind: 'added', source, sources: [...sources, source] }
}

/** The name, with a number appended if another source has it. */
function uniqueName(wanted: string, sources: readonly Pick<StoreSource, 'name'>[]): string {
  const has = (name: string): boolean => sources.some((source) => source.name === name)
  for (let number = 2, name = wanted; ; number++) {
    if (!has(name)) return name
    name = `${wanted}-${number}`
  }
}

/** True if one prefix contains the other. The empty one is exempt: its source may have a folder of any name. */
function overlap(one: string, other: string): boolean {
  return one !== '' && (`${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`))
}

function secondSource({ typed, defaultName }: SourceCandidate, sources: readonly StoreSource[], url: string): string {
  const [first] = sources
  const held = sources.map(({ name, address }) => `${name} (${address})`).join(', ')
  const prefix = uniqueName(
    defaultName.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'second',
    sources.map((source) => ({ name: source.prefix })),
  )
  return [
    `the store ${url} already holds another source: ${held}. Nothing was sent and nothing was changed.`,
    'To keep both in one store, or each in its own:',
    `  ${typed.run} --out ${quoted(typed.out)} --prefix ${prefix}`,
    `  ${typed.run} --out ${quoted(`${typed.out.replace(/\/+$/, '')}-${prefix}`)}`,
    `If this is ${first?.name ?? ''} at a new address (moved, or mounted elsewhere), add --source-name ${quoted(first?.name ?? '')}`,
  ].join('\n')
}

const otherPrefix = ({ name, prefix }: StoreSource, asked: string): string =>
  `this store holds the source ${name} ${prefix === '' ? 'without a prefix' : `under the prefix "${prefix}"`}, ` +
  `but --prefix is "${asked}": leave --prefix out, or choose another --out`

const takenPrefix = ({ name, prefix }: StoreSource, asked: string): string =>
  `the prefix "${asked}" overlaps "${prefix}", where this store holds the source ${name}: choose another --prefix`
