import type { Events, Receiver, SluiceEvents } from '#src/events.ts'
import type { Requests } from './open-requests.ts'
import { haltWithoutAnswer } from './service-patience.ts'
import { watchRecovery } from './watch-recovery.ts'

/**
 * Connects a pipeline with the service that it uses: the embedded engine hears of its answers, the pipeline of a halt of
 * the engine, and of a service that never answers; refusals have its concurrency limit read again, and an outage
 * that other processes saw the end of ends. Ends when disposed of.
 */
export function followService(
  { service, limitWatch, gate }: Requests,
  shared: Events,
  pipeline: Events,
  patienceMs: number,
): Disposable {
  const engine = followEngine({ service }, 'parser', shared, pipeline)
  limitWatch?.follow(pipeline)
  const recovery = watchRecovery(pipeline, gate.limiter)
  const patience = haltWithoutAnswer(pipeline, service.name, patienceMs)
  return {
    [Symbol.dispose]: () => {
      engine[Symbol.dispose]()
      recovery[Symbol.dispose]()
      patience[Symbol.dispose]()
    },
  }
}

/** The part of it that the embedded engine needs, also where it is used beside a service: then `receiver` is `engine`. */
export function followEngine(
  { service }: Pick<Requests, 'service'>,
  receiver: Receiver['to'],
  shared: Events,
  pipeline: Events,
): Disposable {
  const answered = ({ verdict, to }: SluiceEvents['request:answered'][0]): void => {
    if (verdict !== 'unavailable' && to === receiver) service.served()
  }
  const halted = (halt: SluiceEvents['run:halted'][0]): unknown => pipeline.emit('run:halted', halt)
  pipeline.on('request:answered', answered)
  if (service.free) shared.on('run:halted', halted)
  return {
    [Symbol.dispose]: () => {
      pipeline.off('request:answered', answered)
      shared.off('run:halted', halted)
    },
  }
}
