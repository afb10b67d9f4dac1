import { type EngineReading, readsOtherwise } from './engine-changes.ts'
import type { SourceKey } from './ids.ts'
import type { ParserClass } from './parser-class.ts'
import type { Route } from './route.ts'

/** Who made an answer. All but the class are facts for people: another address or gateway of a service decides nothing. */
export interface ParserFacts {
  readonly class: ParserClass
  /** Address of the service without login and query; `engine` for the embedded one, `sluice` for texts passed through. */
  readonly origin: string
  /** Of the embedded engine or the passthrough, a whole number; null for a service, which states none. */
  readonly version: string | null
  /** When the answer came, ISO 8601, UTC; null where that was not kept. */
  readonly at: string | null
}

export type ParserIdentity = Omit<ParserFacts, 'at'>

/** Which answers a process makes, and which it takes. */
export interface ParserPolicy {
  readonly own: ParserIdentity
  /** A run against a service takes what the embedded engine did. */
  readonly acceptLocal: boolean
  /** What an older engine read otherwise than this one is parsed again. */
  readonly upgrade: boolean
  /** The same for each document, where rules differ by document; null where none does. */
  readonly upgradeOf: ((key: SourceKey) => boolean) | null
  /** Answers of another class of parser are not taken, a service's neither. */
  readonly onlyOwn?: boolean
  /** Which rules have matched a key. */
  readonly rules?: { readonly see: (key: SourceKey) => void; readonly unmatched: () => readonly string[] }
  /** Where a service is used: the documents that the embedded engine reads, alone or first, and that engine. */
  readonly routes?:
    | {
        readonly of: (key: SourceKey) => Route
        readonly engine: ParserIdentity
        /** Globs of documents that must stay here, and that no key has matched so far. */
        readonly unmatched: () => readonly string[]
      }
    | undefined
}

/**
 * What holds for one document. One that is routed by page is done with what the engine read of it: which pages were
 * bought is covered by the hash of its recipe.
 */
export function policyFor(policy: ParserPolicy, key: SourceKey): ParserPolicy {
  const { routes, upgradeOf } = policy
  const isLocal = routes !== undefined && routes.of(key) !== 'service'
  if (upgradeOf === null && !isLocal) return policy
  const preferred = isLocal ? routes.engine : policy.own
  return { ...policy, own: preferred, upgrade: upgradeOf === null ? policy.upgrade : upgradeOf(key) }
}

/** Of engines that wrote no version. */
const FIRST_VERSION = 1

const versionOf = ({ version }: Pick<ParserFacts, 'version'>): number => Number(version ?? FIRST_VERSION)

/**
 * Whether what this parser parsed need not be parsed again. What a service did satisfies every run, and so does a text. For
 * an upgrade, an older engine's answer satisfies a run where `reading` shows that this engine reads the document alike.
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

/** Whether an answer replaces one of the same content, recipe and class: a newer engine's. */
export function replaces(later: ParserIdentity, kept: ParserIdentity | null): boolean {
  if (kept === null || later.class !== 'embedded' || kept.class !== 'embedded') return false
  return versionOf(later) > versionOf(kept)
}

/** Of several answers that make one document, the one that says least good of it. */
export function weakest(parsers: readonly ParserFacts[]): ParserFacts | null {
  const rank = (facts: ParserFacts): number => (facts.class === 'embedded' ? versionOf(facts) : Infinity)
  return parsers.toSorted((one, other) => rank(one) - rank(other))[0] ?? null
}
