import { randomUUID } from 'node:crypto'
import type { Settings } from '#config/settings.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { gateDigest, openGate } from '#src/gate/open-gate.ts'
import { ChatClient } from '#src/model/chat-client.ts'
import { dispatcherOf } from '#src/parse/dispatcher.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { GatedModel } from './gated-model.ts'
import type { Stopping } from './lifecycle.ts'
import { wayOutOf } from './way-out.ts'

/** As many as chunks are awaited at a time; the gate decides how many requests that makes. */
const CONNECTIONS = 64

/** Models on a processor are slow; a service that hangs must end all the same. */
const TIMEOUT_MS = 180_000

/** The model of the `context…` settings, behind a limiter that all processes with its address and key share. */
export async function openContextModel(
  settings: Settings,
  connection: RedisConnection,
  stopping: Pick<Stopping, 'soft' | 'hard'>,
  resources: AsyncDisposableStack,
): Promise<GatedModel> {
  const { contextUrl, contextKey = '', contextModel, contextOptions, contextMaxTokens } = settings
  if (contextUrl === undefined || contextModel === undefined) {
    throw new SetupError('--context needs a model: set --context-url and --context-model')
  }
  const { username, password } = new URL(contextUrl)
  if (username !== '' || password !== '') {
    throw new SetupError('--context-url holds a login: put the key into SLUICE_CONTEXT_KEY, and take the login out')
  }
  const dispatcher = dispatcherOf(CONNECTIONS, wayOutOf(settings))
  resources.defer(() => dispatcher.destroy())
  const limitCredits = contextMaxTokens ?? null
  const gate = resources.use(
    await openGate({
      redis: connection,
      keyDigest: gateDigest(`contexts ${contextUrl}`, contextKey),
      windowMs: settings.rateWindowMs,
      leaseMs: TIMEOUT_MS + 30_000,
      budgets: [{ per: 'run', run: randomUUID(), limitCredits }],
      ceilings: {
        requestsPerWindow: settings.contextRate ?? null,
        concurrency: settings.contextConcurrency ?? null,
      },
    }),
  )
  // The account, the key or the service may have been repaired since.
  if ((await gate.state()).shut !== null) await gate.probe()
  const client = new ChatClient({
    baseUrl: contextUrl,
    key: contextKey,
    model: contextModel,
    options: contextOptions,
    dispatcher,
    timeoutMs: TIMEOUT_MS,
  })
  return new GatedModel({
    name: contextModel,
    options: contextOptions,
    client,
    gate,
    budgetMessage: () =>
      `the budget of this export (${limitCredits} tokens, --context-max-tokens) does not cover the next request`,
    patienceMs: settings.servicePatienceMs,
    soft: stopping.soft,
    hard: stopping.hard,
  })
}
