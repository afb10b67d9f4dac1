import { createHmac, randomUUID } from 'node:crypto'
import type { Notice } from '#src/document/notice.ts'
import type { Events } from '#src/events.ts'

/** An event in the JSON format of CloudEvents 1.0. Its data hold no document text, key or token. */
export interface CloudEvent {
  readonly specversion: '1.0'
  readonly id: string
  /** Address of the store, without a login. */
  readonly source: string
  /** `sluice.run.ended` */
  readonly type: `sluice.${Notice}`
  /** Key of the document; absent for a run. */
  readonly subject?: string
  /** ISO 8601, UTC. */
  readonly time: string
  readonly datacontenttype: 'application/json'
  readonly data: Readonly<Record<string, unknown>>
}

/** Calls `emit` with a CloudEvent for each chosen event. */
export function observeEvents(
  events: Events,
  options: { readonly source: string; readonly notices: readonly Notice[]; readonly now: () => number },
  emit: (event: CloudEvent) => void,
): void {
  const send = (notice: Notice, data: CloudEvent['data'], subject?: string): void => {
    if (!options.notices.includes(notice)) return
    emit({
      specversion: '1.0',
      id: randomUUID(),
      source: options.source,
      type: `sluice.${notice}`,
      ...(subject === undefined ? {} : { subject }),
      time: new Date(options.now()).toISOString(),
      datacontenttype: 'application/json',
      data,
    })
  }
  events.on('run:ended', (ending) => send('run.ended', ending))
  events.on('halt:begun', ({ cause, message }) => send('run.halted', { cause, message }))
  events.on('document:committed', ({ key, contentHash }) => send('document.changed', { contentHash }, key))
  events.on('document:settled', ({ key, outcome, again, failure }) => {
    if (outcome === 'failed' && !again && failure !== null)
      send('document.failed', { code: failure.code, stage: failure.stage, message: failure.message }, key)
  })
}

/**
 * Headers that sign a body for a receiver with the same secret (standardwebhooks.com, "Signature scheme"). `timestamp`:
 * seconds since the epoch. A secret with the prefix `whsec_` is Base64.
 */
export function signatureHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secret: string,
  timestamp: number,
): Record<string, string> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
}
