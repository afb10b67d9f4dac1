import type { Settings } from '#config/settings.ts'
import { DEFAULT_SERVICE } from '#src/contract/rules.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { namesUsed, settingsAt } from './named-services.ts'
import { hostedGateLine } from './open-requests.ts'

/** As `hostedGateLine`, of every service that the rules name, each with its name where there are several. */
export async function gateLines(settings: Settings, connection: RedisConnection): Promise<string | null> {
  const names = namesUsed(settings)
  const standard = await hostedGateLine(settings, connection)
  if (names.length === 0) return standard
  const others = await Promise.all(names.map(async (name) => `${name}: ${await lineAt(name, settings, connection)}`))
  return [...(standard === null ? [] : [`${DEFAULT_SERVICE}: ${standard}`]), ...others].join('; ')
}

/** The limiter belongs to address and key: without the key nothing is known of it. */
async function lineAt(name: string, settings: Settings, connection: RedisConnection): Promise<string> {
  try {
    return (await hostedGateLine(settingsAt(name, settings), connection)) ?? ''
  } catch (error) {
    if (error instanceof SetupError) return error.message
    throw error
  }
}
