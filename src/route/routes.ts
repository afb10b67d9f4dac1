import { routeBook, type Rule } from '#src/client/rules.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Route } from '#src/document/route.ts'
import { neverSendMatcher } from './never-send.ts'

export interface RouteSettings {
  readonly route: Route
  readonly rules: readonly Rule[]
  readonly neverSend: readonly string[]
}

export interface Routes {
  readonly of: (key: SourceKey) => Route
  /** True if a document must not leave this machine. */
  readonly mustStay: (key: SourceKey) => boolean
  /** Globs of `neverSend` that no key has matched yet. */
  readonly unmatched: () => readonly string[]
}

/**
 * Returns the route of each document; null if all go to the service. Globs apply to keys in the source: `inSource`
 * removes the prefix of a key in the store.
 */
export function routesOf(
  { route, rules, neverSend }: RouteSettings,
  inSource: (key: SourceKey) => SourceKey,
): Routes | null {
  const isPlain =
    route === 'service' &&
    neverSend.length === 0 &&
    rules.every((rule) => (rule.route ?? route) === route && rule.service === undefined)
  if (isPlain) return null
  const { stays, unmatched } = neverSendMatcher(neverSend)
  const book = routeBook({ rules }, route)
  const mustStay = (key: SourceKey): boolean => stays(key) || stays(inSource(key))
  return { mustStay, unmatched, of: (key) => (mustStay(key) ? 'local' : book(inSource(key))) }
}
