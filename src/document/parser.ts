import { type EngineReading, readsOtherwise } from './engine-changes.ts'
import type { SourceKey } from './ids.ts'
import type { ParserClass } from './parser-class.ts'
import type { Route } from './route.ts'

/**
 * Parser of an answer. All fields but the class are informative: another address or gateway of a service changes
 * nothing.
 */
export interface ParserFacts {
  readonly class: ParserClass
  /** Address of the service without login and query; `engine` for the embedded engine, `sluice` for passthrough. */
  readonly origin: string
  /** Integer version of the embedded engine or the passthrough; null for a service, which states none. */
  readonly version: string | null
  /** Time of the answer, ISO 8601, UTC; null if unknown. */
  readonly at: string | null
}

export type ParserIdentity = Omit<ParserFacts, 'at'>

/** Class of the answers that a process produces, and the classes that it accepts. */
export interface ParserPolicy {
  readonly own: ParserIdentity
  /** A run against a service accepts answers of the embedded engine. */
  readonly acceptLocal: boolean
  /** Parses documents again if an older engine read them differently. */
  readonly upgrade: boolean
  /** The same per document if rules override it; null without such a rule. */
  readonly upgradeOf: ((key: SourceKey) => boolean) | null
  /** Rejects answers of any other class, including those of a service. */
  readonly onlyOwn?: boolean
  /** Tracks the rules that match no key. */
  readonly rules?: { readonly recordKey: (key: SourceKey) => void; readonly unmatched: () => readonly string[] }
  /** Documents that the embedded engine reads, alone or first, and that engine; present only with a service. */
  readonly routes?:
    | {
        readonly of: (key: SourceKey) => Route
        readonly engine: ParserIdentity
        /** Globs of documents that must stay local and that no key has matched yet. */
        readonly unmatched: () => readonly string[]
      }
    | undefined
}

/**
 * Policy of one document. With routing by page, the reading of the engine is enough: the hash of the recipe covers the
 * choice of bought pages.
 */
export function policyFor(policy: ParserPolicy, key: SourceKey): ParserPolicy {
  const { routes, upgradeOf } = policy
  const isLocal = routes !== undefined && routes.of(key) !== 'service'
  if (upgradeOf === null && !isLocal) return policy
  const preferred = isLocal ? routes.engine : policy.own
  return { ...policy, own: preferred, upgrade: upgradeOf === null ? policy.upgrade : upgradeOf(key) }
}

/** Version of engines that wrote none. */
const FIRST_VERSION = 1

const versionOf = ({ version }: Pick<ParserFacts, 'version'>): number => Number(version ?? FIRST_VERSION)

/**
 * True if an answer of this parser is good enough. An answer of a service satisfies every run, and so does a text. For
 * an upgrade, the answer of an older engine satisfies a run if `reading` shows that both engines read the document
 * alike.
 */
export function satisfies(
  { own, acceptLocal, upgrade, onlyOwn = false }: Pick<ParserPolicy, 'own' | 'acceptLocal' | 'upgrade' | 'onlyOwn'>,
  parser: ParserIdentity,
  reading: EngineReading | null = null,
): boolean {
  if (onlyOwn && parser.class !== own.class) return false
  if (parser.class !== 'embedded') return true
  if (own.class === 'service') return acceptLocal
  const [from, to] = [versionOf(parser), versionOf(own)]
  return !upgrade || from >= to || (reading !== null && !readsOtherwise(from, to, reading))
}

/** True if an answer replaces one of the same content, recipe and class: it comes from a newer engine. */
export function replaces(later: ParserIdentity, kept: ParserIdentity | null): boolean {
  if (kept === null || later.class !== 'embedded' || kept.class !== 'embedded') return false
  return versionOf(later) > versionOf(kept)
}

/** Returns the least trusted of several answers that make up one document. */
export function weakest(parsers: readonly ParserFacts[]): ParserFacts | null {
  const rank = (facts: ParserFacts): number => (facts.class === 'embedded' ? versionOf(facts) : Infinity)
  return parsers.toSorted((one, other) => rank(one) - rank(other))[0] ?? null
}
