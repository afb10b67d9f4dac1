import { PutBucketNotificationConfigurationCommand, type S3Client } from '@aws-sdk/client-s3'
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns'
import type { S3Server } from './s3-server.ts'

/** Makes the store push a notification of everything that happens in a bucket to `endpoint`. */
export async function pushNotifications(
  { endpoint: store, region, accessKeyId, secretAccessKey }: S3Server,
  client: S3Client,
  bucket: string,
  endpoint: string,
): Promise<void> {
  const sns = new SNSClient({ endpoint: store, region, credentials: { accessKeyId, secretAccessKey } })
  const { TopicArn } = await sns.send(
    new CreateTopicCommand({ Name: `t${bucket}`, Attributes: { 'push-endpoint': endpoint } }),
  )
  sns.destroy()
  const TopicConfigurations = [
    { Id: 'all', TopicArn, Events: ['s3:ObjectCreated:*' as const, 's3:ObjectRemoved:*' as const] },
  ]
  await client.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: bucket,
      NotificationConfiguration: { TopicConfigurations },
    }),
  )
}
