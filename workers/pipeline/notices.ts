import { DEFAULT_NOTICES } from '#src/document/notice.ts'
import { observeEvents } from '#src/notify/cloud-event.ts'
import { NoticeReceiver } from '#src/notify/receiver.ts'
import { dispatcherOf } from '#src/parse/dispatcher.ts'
import { NoticeQueue } from '#src/queue/notice-queue.ts'
import { serviceNetworkOf } from '../settings/networks.ts'
import type { Opened } from './open-pipeline.ts'

const CONNECTIONS = 4

/** Sends notices of a pipeline's events to the receiver of the settings (`--notify-url`). */
export function sendNotices(url: string, opened: Opened, say: (line: string) => void): void {
  const { connection, id: pipeline, store, events, settings, resources } = opened
  const { notifySecret: secret, notifyEvents, caFile } = settings
  // The client certificate is for the service alone.
  const network = serviceNetworkOf({ caFile, clientCert: undefined, clientKey: undefined })
  const receiver = resources.use(new NoticeReceiver({ url, secret, dispatcher: dispatcherOf(CONNECTIONS, network) }))
  const said = new Set<string>()
  const sayOnce = (line: string): void => {
    if (!said.has(line)) say(line)
    said.add(line)
  }
  const queue = resources.use(
    new NoticeQueue({
      connection,
      pipeline,
      send: async (event: Parameters<NoticeReceiver['send']>[0]) => {
        try {
          await receiver.send(event)
        } catch (error) {
          sayOnce(`notices: ${(error as Error).message}; Sluice repeats a notice for a day (--notify-url)`)
          throw error
        }
      },
      onLost: (reason) =>
        sayOnce(
          reason === 'full'
            ? `notices: too many wait for ${receiver.origin}, so Sluice drops further ones`
            : `notices: ${receiver.origin} took a notice in no attempt of a day, so Sluice dropped it`,
        ),
    }),
  )
  const notices = notifyEvents.length === 0 ? DEFAULT_NOTICES : notifyEvents
  observeEvents(events, { source: store.url, notices, now: () => Date.now() }, (event) => queue.add(event))
}
