import { SQSClient } from '@aws-sdk/client-sqs'
import type { Settings } from '#config/settings.ts'
import { httpNotices } from '#src/sources/notifications/http-notices.ts'
import type { Notices } from '#src/sources/notices.ts'
import { SharedNotices } from '#src/sources/notifications/shared-notices.ts'
import { queueProblem, sqsNotices } from '#src/sources/notifications/sqs-notices.ts'
import { requestHandlerOf } from '#src/s3/client.ts'
import { s3NetworkOf } from '../settings/networks.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { openServerOf } from '../settings/setting-errors.ts'

/** Opens the listener for bucket notifications, shared by all pipelines of one queue; null if buckets are polled. */
export type NoticesFor = (settings: Settings) => Promise<SharedNotices | null>

export function noticesFor(say: (line: string) => void, resources: AsyncDisposableStack): NoticesFor {
  const opened = new Map<string, Promise<SharedNotices | null>>()
  return (settings) => {
    const { sqsQueue, eventsPort, eventsHost, eventsToken } = settings
    const name = JSON.stringify([sqsQueue, eventsPort, eventsHost, eventsToken])
    const notices = opened.get(name) ?? openNotices(settings, say, resources)
    opened.set(name, notices)
    return notices
  }
}

async function openNotices(
  settings: Settings,
  say: (line: string) => void,
  resources: AsyncDisposableStack,
): Promise<SharedNotices | null> {
  const from = await openListener(settings, say, resources)
  if (from === null) return null
  return resources.use(new SharedNotices(from))
}

/** Timeout of the queue: a later answer is unlikely. */
const QUEUE_ANSWERS_MS = 20_000

const outageLine = (queue: string, cause: string | null): string =>
  cause === null
    ? `${queue} answers again`
    : `${queue} does not answer (${cause}): until it does, scans find the documents`

async function openListener(
  settings: Settings,
  say: (line: string) => void,
  resources: AsyncDisposableStack,
): Promise<Notices | null> {
  const { sqsQueue, eventsPort, eventsHost, eventsToken } = settings
  if (sqsQueue !== undefined && eventsPort !== undefined) {
    throw new SetupError('--sqs-queue and --events-port receive the same notifications: give only one')
  }
  if (sqsQueue !== undefined) {
    const requestHandler = requestHandlerOf(s3NetworkOf(settings))
    // Without its address the client warns about every queue outside AWS.
    const endpoint = URL.canParse(sqsQueue) ? { endpoint: new URL(sqsQueue).origin } : {}
    const client = new SQSClient({ ...regionOf(sqsQueue, settings.s3Region), ...endpoint, requestHandler })
    resources.defer(() => client.destroy())
    const queue = { client, queueUrl: sqsQueue, onOutage: (cause: string | null) => say(outageLine(sqsQueue, cause)) }
    const problem = await queueProblem(queue, AbortSignal.timeout(QUEUE_ANSWERS_MS))
    if (problem !== null) {
      throw new SetupError(
        `--sqs-queue ${sqsQueue} cannot be used (${problem}): check its address, region and credentials`,
      )
    }
    say(`notifications of the bucket are read from ${sqsQueue}`)
    return resources.use(sqsNotices(queue))
  }
  if (eventsPort === undefined) return null
  const token = eventsToken === undefined ? {} : { token: eventsToken }
  const setting = `--events-port ${eventsPort} (--events-host ${eventsHost})`
  const endpoint = resources.use(
    await openServerOf(setting, () => httpNotices({ host: eventsHost, port: eventsPort, ...token })),
  )
  say(
    `notifications of the bucket are received at ${endpoint.url}${eventsToken === undefined ? '' : ', with the token of EVENTS_TOKEN'}`,
  )
  return endpoint
}

/** A queue of AWS names its region in its address; other servers need none. */
function regionOf(queueUrl: string, bucketRegion: string | undefined): { readonly region: string } {
  const named = /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1]
  return { region: named ?? bucketRegion ?? 'us-east-1' }
}
