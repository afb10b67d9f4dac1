import type { Counter, Registry } from 'prom-client'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import type { HaltCause, Limit, VerdictKind } from '#src/document/verdict.ts'
import type { Events, Receiver } from '#src/events.ts'
import { counter, histogram } from './instruments.ts'

/** The keys are the closed lists of labels; the compiler checks that they are complete. */
const VERDICTS: Readonly<Record<VerdictKind, 0>> = {
  parsed: 0,
  rejected: 0,
  throttled: 0,
  unavailable: 0,
  refused: 0,
  halted: 0,
}
const LIMITS: Readonly<Record<Limit, 0>> = { rate: 0, concurrency: 0, unknown: 0 }
export const NOT_HALTED: Readonly<Record<HaltCause, 0>> = {
  credits: 0,
  key: 0,
  permission: 0,
  options: 0,
  address: 0,
  proxy: 0,
  budget: 0,
  store: 0,
  engine: 0,
  installation: 0,
  service: 0,
  source: 0,
}

export const HALTS = Object.keys(NOT_HALTED) as HaltCause[]

/** Counts requests of this process and their answers. */
export function countRequests(events: Events, registry: Registry): void {
  const of = (name: string, help: string) => counter(registry, { name, help })
  const sent = of('sluice_requests_total', 'Requests sent by this process.')
  const engine = of(
    'sluice_engine_requests_total',
    'Requests to the embedded engine by pipelines that also have a service.',
  )
  const bytes = of('sluice_uploaded_bytes_total', 'Bytes of documents sent in requests.')
  countLost(events, of)
  const spooled = of('sluice_answers_spooled_total', 'Paid answers saved in the spool folder because the store failed.')
  const gone = of(
    'sluice_answers_lost_total',
    'Paid answers lost, because neither the store nor the spool folder could save them.',
  )
  const answers = counter(registry, {
    name: 'sluice_answers_total',
    help: 'Answers to requests of this process, by verdict.',
    label: 'verdict',
    values: Object.keys(VERDICTS),
  })
  const refused = counter(registry, {
    name: 'sluice_throttled_total',
    help: 'Requests of this process that a limit of the plan refused, by limit.',
    label: 'limit',
    values: Object.keys(LIMITS),
  })
  const halts = counter(registry, {
    name: 'sluice_halts_total',
    help: 'Halts of the batch that this process met first, by cause.',
    label: 'cause',
    values: HALTS,
  })
  const duration = histogram(
    registry,
    'sluice_request_duration_seconds',
    'Duration of a request, from the first byte sent to the last byte received.',
  )
  events.on('request:sent', (event) => {
    if (event.to === 'engine') return engine.inc()
    sent.inc()
    bytes.inc(event.bytes)
  })
  events.on('request:answered', ({ verdict, durationMs, to }) => {
    if (to === 'engine') return
    answers.inc({ verdict })
    duration.observe(durationMs / 1000)
  })
  events.on('answer:spooled', () => spooled.inc())
  events.on('answer:lost', () => gone.inc())
  events.on('request:throttled', ({ limit, to }) => to === 'parser' && refused.inc({ limit }))
  events.on('halt:begun', ({ cause }) => halts.inc({ cause }))
}

function countLost(events: Events, of: (name: string, help: string) => Counter): void {
  const lost = of(
    'sluice_requests_lost_total',
    'Requests without a usable answer, which may be charged; includes those of a killed process whose document this process took over.',
  )
  const doubtful = of(
    'sluice_credits_in_doubt_total',
    'Credits, by the price model, of requests without a usable answer, which may be charged.',
  )
  const count = ({ to, credits }: Receiver & { readonly credits: number }): void => {
    if (to === 'engine') return
    lost.inc()
    doubtful.inc(credits)
  }
  events.on('request:lost', count)
  events.on('request:ambiguous', count)
}

/** Counts the same by service; excludes work of the embedded engine next to a service. */
export function countByService(events: Events, registry: Registry): void {
  const byService = counter(registry, {
    name: 'sluice_service_requests_total',
    help: 'Requests sent by this process, by service; `default` is the service of PARSE_API_URL.',
    label: 'service',
    values: [DEFAULT_SERVICE],
  })
  const charged = counter(registry, {
    name: 'sluice_service_credits_total',
    help: 'Credits charged for answers to this process, by service.',
    label: 'service',
    values: [DEFAULT_SERVICE],
  })
  events.on('service:opened', ({ service }) => {
    byService.inc({ service }, 0)
    charged.inc({ service }, 0)
  })
  events.on('request:charged', ({ cost, service = DEFAULT_SERVICE }) => charged.inc({ service }, cost.credits))
  events.on('request:sent', ({ to, service = DEFAULT_SERVICE }) => to === 'parser' && byService.inc({ service }))
}
