import type { Settings } from '#config/settings.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import { ENGINE_VERSION } from '#src/engine/version.ts'
import { withoutLogin } from './open-service.ts'

/** Which answers a pipeline's parser makes, and which it takes. */
export function parserPolicyOf(
  { parseApiUrl, acceptLocal, upgrade }: Pick<Settings, 'parseApiUrl' | 'acceptLocal' | 'upgrade'>,
  hasUnmarked: boolean,
): ParserPolicy {
  const own =
    parseApiUrl === undefined
      ? ({ class: 'embedded', origin: 'engine', version: ENGINE_VERSION } as const)
      : ({ class: 'service', origin: withoutLogin(parseApiUrl), version: null } as const)
  return { own, acceptLocal, upgrade, hasUnmarked }
}
