import type { Settings } from '#config/settings.ts'

export type StoreSettings = Pick<
  Settings,
  | 'out'
  | 's3Endpoint'
  | 's3Region'
  | 's3Encryption'
  | 's3KmsKeyId'
  | 's3StorageClass'
  | 's3InlineKb'
  | 's3PackMs'
  | 'caFile'
  | 'clientCert'
  | 'clientKey'
>
