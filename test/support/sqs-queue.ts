import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import type { AddressInfo } from 'node:net'

/** A queue of a test's own: an emulator that speaks SQS, on loopback. */
export async function startQueue() {
  const app = buildApp({ logger: false, host: 'localhost' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const endpoint = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } })
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'events' }))
  const url = `${endpoint}${new URL(QueueUrl ?? '').pathname}`
  return {
    sqs,
    url,
    send: (body: string) => sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body })),
    async count() {
      const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] }),
      )
      return { waiting: Number(Attributes[names[0]]), hidden: Number(Attributes[names[1]]) }
    },
    async [Symbol.asyncDispose]() {
      sqs.destroy()
      await app.close()
    },
  }
}
