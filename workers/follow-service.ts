import type { Events, SluiceEvents } from '#src/events.ts'
import type { Requests } from './open-requests.ts'

/**
 * Connects a pipeline with the service that it uses: the embedded engine hears of its answers, and the pipeline of a halt
 * of the engine. Ends when disposed of.
 */
export function followService({ service }: Requests, shared: Events, pipeline: Events): Disposable {
  const answered = ({ verdict }: SluiceEvents['request:answered'][0]): void => {
    if (verdict !== 'unavailable') service.served()
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
