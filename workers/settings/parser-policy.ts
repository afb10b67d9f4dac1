import type { Settings } from '#config/settings.ts'
import { ruleUse, upgradeBook } from '#src/client/rules.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import { ENGINE_VERSION } from '@sluice/engine'
import { type Routes, routesOf } from '#src/route/routes.ts'
import { withoutPrefix } from '#src/sources/prefixed-source.ts'
import { originAndPath } from './location.ts'

/** Policy of a pipeline: the answers that its parser makes, and those that it accepts. */
export function parserPolicyOf(
  settings: Pick<Settings, 'parseApiUrl' | 'acceptLocal' | 'upgrade' | 'rules' | 'route' | 'neverSend'>,
  prefix: string,
): ParserPolicy {
  const { parseApiUrl, acceptLocal, upgrade, rules } = settings
  const book = upgradeBook({ rules }, upgrade)
  const facts =
    parseApiUrl === undefined
      ? ENGINE
      : ({ class: 'service', origin: originAndPath(parseApiUrl), version: null } as const)
  const routes = routesWith(settings, prefix)
  const upgradeOf = book === null ? null : (key: SourceKey): boolean => book(withoutPrefix(prefix, key) ?? key)
  const routed = routes === null ? {} : { routes: { of: routes.of, unmatched: routes.unmatched, engine: ENGINE } }
  const use = ruleUse(rules)
  const seen = {
    recordKey: (key: SourceKey) => use.recordKey(withoutPrefix(prefix, key) ?? key),
    unmatched: use.unmatched,
  }
  return { own: facts, rules: seen, acceptLocal, upgrade, upgradeOf, ...routed }
}

/** Globs match keys in the source, without the prefix of the store. */
export function routesWith(settings: Pick<Settings, 'rules' | 'route' | 'neverSend'>, prefix: string): Routes | null {
  return routesOf(settings, (key) => withoutPrefix(prefix, key) ?? key)
}

export const ENGINE = { class: 'embedded', origin: 'engine', version: ENGINE_VERSION } as const
