import { SQSClient } from '@aws-sdk/client-sqs'
import type { Settings } from '#config/settings.ts'
import { httpNotices } from '#src/sources/http-notices.ts'
import type { Notices } from '#src/sources/notices.ts'
import { sqsNotices } from '#src/sources/sqs-notices.ts'

type NoticeSettings = Pick<Settings, 'sqsQueue' | 'eventsPort' | 'eventsHost' | 'eventsToken' | 's3Region'>

/** Where notifications of a bucket come from, as the settings say; null when it is polled. */
export async function openNotices(
  settings: NoticeSettings,
  say: (line: string) => void,
  resources: AsyncDisposableStack,
): Promise<Notices | null> {
  const { sqsQueue, eventsPort, eventsHost, eventsToken } = settings
  if (sqsQueue !== undefined && eventsPort !== undefined) {
    throw new Error('--sqs-queue and --events-port are two ways for the same notifications: give one of them')
  }
  if (sqsQueue !== undefined) {
    const client = new SQSClient(regionOf(sqsQueue, settings.s3Region))
    resources.defer(() => client.destroy())
    say(`notifications of the bucket come from ${sqsQueue}`)
    return resources.use(sqsNotices({ client, queueUrl: sqsQueue }))
  }
  if (eventsPort === undefined) return null
  const token = eventsToken === undefined ? {} : { token: eventsToken }
  const endpoint = resources.use(await httpNotices({ host: eventsHost, port: eventsPort, ...token }))
  say(`notifications of the bucket are taken at ${endpoint.url}${eventsToken === undefined ? '' : ', with the token'}`)
  return endpoint
}

/** A queue of AWS names its region in its address; any other server has none to speak of. */
function regionOf(queueUrl: string, bucketRegion: string | undefined): { readonly region: string } {
  const named = /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1]
  return { region: named ?? bucketRegion ?? 'us-east-1' }
}
