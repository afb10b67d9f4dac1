import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notice, Notices } from '../notices.ts'

export interface SqsNoticesOptions {
  readonly client: SQSClient
  readonly queueUrl: string
  /**
   * Visibility timeout: time that a message is hidden from other consumers; extended during its processing. Default 60.
   */
  readonly visibilitySeconds?: number
  /** Gets the reason of an outage of the queue, and null at its end; once per cause. */
  readonly onOutage?: (cause: string | null) => void
}

/** Maximum long-poll time of one request, and its maximum number of messages. */
const LONGEST_POLL_SECONDS = 20

/** Poll interval during an outage. */
const OUTAGE_MS = 5_000
const MAX_MESSAGES = 10

/**
 * Notifications from an SQS queue. A message is deleted after its processing. An unparseable one stays, and the redrive
 * policy moves it to the dead-letter queue. A failed deletion leads to another delivery, which is harmless.
 */
export function sqsNotices(options: SqsNoticesOptions): Notices {
  const { client, queueUrl, visibilitySeconds = 60, onOutage = () => undefined } = options
  const receiving = new Receiving({ client, queueUrl, visibilitySeconds, onOutage })
  const held = new Map<string, Message>()
  const extend = setInterval(() => void keepHidden(), visibilitySeconds * 500)
  extend.unref()

  async function keepHidden(): Promise<void> {
    const messages = [...held.values()]
    for (let at = 0; at < messages.length; at += MAX_MESSAGES) {
      const Entries = messages.slice(at, at + MAX_MESSAGES).map(({ ReceiptHandle }, index) => ({
        Id: `${index}`,
        ReceiptHandle,
        VisibilityTimeout: visibilitySeconds,
      }))
      // After a failure another consumer receives the messages, too: delivery is at least once.
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries })).catch(() => undefined)
    }
  }

  function noticeOf(message: Message): Notice {
    const id = message.MessageId ?? ''
    held.set(id, message)
    return {
      body: message.Body ?? '',
      async done() {
        held.delete(id)
        const command = new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle })
        await client.send(command).catch(() => undefined)
      },
      async refuse() {
        held.delete(id)
      },
      async release() {
        if (!held.delete(id)) return
        const { ReceiptHandle } = message
        const command = new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 })
        // After a failure the message returns at the end of its visibility timeout.
        await client.send(command).catch(() => undefined)
      },
    }
  }

  return {
    async next(waitMs: number, signal: AbortSignal): Promise<readonly Notice[]> {
      return (await receiving.next(waitMs, signal)).map(noticeOf)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(extend)
    },
  }
}

/** Polls a queue for messages, through its outages. */
class Receiving {
  readonly #options: Required<SqsNoticesOptions>
  #outage: string | null = null

  constructor(options: Required<SqsNoticesOptions>) {
    this.#options = options
  }

  async next(waitMs: number, signal: AbortSignal): Promise<readonly Message[]> {
    const { client, queueUrl, visibilitySeconds } = this.#options
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: MAX_MESSAGES,
      WaitTimeSeconds: Math.min(LONGEST_POLL_SECONDS, Math.ceil(waitMs / 1000)),
      VisibilityTimeout: visibilitySeconds,
    })
    try {
      const { Messages = [] } = await client.send(command, { abortSignal: signal })
      this.#report(null)
      return Messages
    } catch (error) {
      if (signal.aborted) throw error
      // The scans continue and find the unreported changes.
      this.#report(causeOf(error))
      await sleep(Math.min(waitMs, OUTAGE_MS), undefined, { signal })
      return []
    }
  }

  #report(cause: string | null): void {
    if (cause !== this.#outage) this.#options.onOutage(cause)
    this.#outage = cause
  }
}

/** Describes why a queue is unusable; null if it works, or if only this check is forbidden. */
export async function queueProblem(
  { client, queueUrl }: SqsNoticesOptions,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] })
    await client.send(command, { abortSignal: signal })
    return null
  } catch (error) {
    return /AccessDenied/.test((error as Error).name) ? null : causeOf(error)
  }
}

function causeOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException
  return code ?? (name === 'Error' ? (message.split('\n')[0] ?? name) : name)
}
