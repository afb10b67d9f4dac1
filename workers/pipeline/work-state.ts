import type { Settings } from '#config/settings.ts'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { GateState } from '@sluice/limiter'
import { gateParts } from '@sluice/limiter/words'
import type { LastRun } from '#src/ledger/redis-last-run.ts'
import type { Notice } from '#src/observe/outage-text.ts'
import type { Limits } from '#src/observe/pace.ts'
import { withTimeout } from '#src/observe/with-timeout.ts'
import { namesUsed, settingsAt } from '../settings/service-names.ts'
import { hostedGate, lineOfGate } from '../service/hosted-gate.ts'
import type { IngestPipeline, Pipeline } from './pipeline.ts'

/** Timeout of the gate's state: the progress line is redrawn soon. */
const GATE_LINE_MS = 1_000

/** Limits and outages that delay documents, for the progress view. */
export interface WorkState extends Limits {
  readonly notices: readonly Notice[]
}

/** Outages first: this process knows them, while the gate's state is in Redis. */
export async function workState({ shared, requests: { gate, service } }: IngestPipeline): Promise<WorkState> {
  const outages = shared.outages()
  // The limits of the embedded engine are known.
  const state = service.free ? null : await withTimeout(gate.limiter.snapshot(), GATE_LINE_MS)
  const parts = state === null ? [] : gateParts(state, { probes: true, now: Date.now() })
  const down = outages.find(({ dependency }) => state?.shut?.cause === 'outage' && dependency === 'service')
  // The outage has closed the gate: the next probe extends its line.
  const merged = outages.map((outage) =>
    outage === down ? { ...outage, parts: [...outage.parts, ...parts.slice(1)] } : outage,
  )
  return {
    notices: down !== undefined || parts.length === 0 ? merged : [...merged, { parts, cause: null }],
    ...limitsOf(state, outages.length > 0),
  }
}

/** `isOut`: a dependency other than the gate stops all documents. */
export function limitsOf(state: GateState | null, isOut: boolean): Limits {
  const rate = state?.rate ?? null
  return {
    perMs: rate === null || state === null ? null : rate.perWindow / state.windowMs,
    isHeld: isOut || (state !== null && (state.shut !== null || state.paused)),
  }
}

/** State of the gates of every service in the rules, each with its name if there are several. */
export async function gateLines({ settings, connection, lastRun, queue }: Pipeline): Promise<string | null> {
  const { run } = await lastRun.read()
  const names = namesUsed(settings)
  const probes = (await queue.workers()) > 0
  const lineOf = async (own: Settings, of: LastRun | null): Promise<string | null> => {
    const gate = await hostedGate(own, of)
    return gate === null ? null : lineOfGate(gate, settings, connection, probes)
  }
  const standard = await lineOf(settings, run)
  if (names.length === 0) return standard
  const others = await Promise.all(names.map(async (name) => `${name}: ${await lineAt(name, settings, lineOf)}`))
  return [...(standard === null ? [] : [`${DEFAULT_SERVICE}: ${standard}`]), ...others].join('; ')
}

/** The limiter belongs to address and key: a lookup needs the key. */
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
