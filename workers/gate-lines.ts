import type { Settings } from '#config/settings.ts'
import { DEFAULT_SERVICE } from '#src/contract/rules.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { LastRun } from '#src/ledger/redis-last-run.ts'
import type { DocumentQueue } from '#src/queue/document-queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { namesUsed, settingsAt } from './named-services.ts'
import { hostedGate, lineOfGate } from './open-requests.ts'

interface GateLineNeeds {
  readonly settings: Settings
  readonly connection: RedisConnection
  readonly run: LastRun | null
  readonly queue: DocumentQueue
}

/** What the gates are doing, of every service that the rules name, each with its name where there are several. */
export async function gateLines({ settings, connection, run, queue }: GateLineNeeds): Promise<string | null> {
  const names = namesUsed(settings)
  const probes = (await queue.workers()) > 0
  const lineOf = async (own: Settings, of: LastRun | null): Promise<string | null> => {
    const gate = hostedGate(own, of)
    return gate === null ? null : lineOfGate(gate, settings, connection, probes)
  }
  const standard = await lineOf(settings, run)
  if (names.length === 0) return standard
  const others = await Promise.all(names.map(async (name) => `${name}: ${await lineAt(name, settings, lineOf)}`))
  return [...(standard === null ? [] : [`${DEFAULT_SERVICE}: ${standard}`]), ...others].join('; ')
}

/** The limiter belongs to address and key: without the key nothing is known of it. */
async function lineAt(
  name: string,
  settings: Settings,
  lineOf: (own: Settings, run: null) => Promise<string | null>,
): Promise<string> {
  try {
    return (await lineOf(settingsAt(name, settings), null)) ?? ''
  } catch (error) {
    if (error instanceof SetupError) return error.message
    throw error
  }
}
