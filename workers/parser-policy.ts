import type { Settings } from '#config/settings.ts'
import { upgradeBook } from '#src/contract/rules.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import { outOf } from '#src/sources/prefixed-source.ts'
import { ENGINE_VERSION } from '#src/engine/version.ts'
import { withoutLogin } from './open-service.ts'

/** Which answers a pipeline's parser makes, and which it takes. */
export function parserPolicyOf(
  { parseApiUrl, acceptLocal, upgrade, rules }: Pick<Settings, 'parseApiUrl' | 'acceptLocal' | 'upgrade' | 'rules'>,
  { isFormer, prefix }: { readonly isFormer: boolean; readonly prefix: string },
): ParserPolicy {
  const book = upgradeBook({ rules }, upgrade)
  const own =
    parseApiUrl === undefined
      ? ({ class: 'embedded', origin: 'engine', version: ENGINE_VERSION } as const)
      : ({ class: 'service', origin: withoutLogin(parseApiUrl), version: null } as const)
  const upgradeOf = book === null ? null : (key: SourceKey): boolean => book(outOf(prefix, key) ?? key)
  return { own, acceptLocal, upgrade, upgradeOf, hasUnmarked: isFormer }
}
