import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { sluice } from '../support/sluice.ts'

/** No server listens on this port. */
const NOWHERE = [
  '--s3-endpoint',
  'http://127.0.0.1:1',
  '--parse-api-url',
  'http://127.0.0.1:1',
  '--parse-api-key',
  'key',
]

test.each([
  ['store', (folder: string) => [folder, '--out', 's3://bucket'], 'cannot open the store in s3://bucket/'],
  ['source', (folder: string) => ['s3://bucket/in', '--out', join(folder, 'out')], 'cannot list s3://bucket/in/'],
])(
  'sluice run exits with 1 and one sentence when the S3 %s cannot be reached',
  async (_, places, what) => {
    await using folder = await temporaryFolder()
    const end = await sluice(['run', ...places(folder.path), '--state-dir', join(folder.path, 'state'), ...NOWHERE], {
      env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    })
    expect(end.stderr.trim()).toBe(
      `sluice: Sluice ${what}: the store cannot be reached (ECONNREFUSED). Check --s3-endpoint.`,
    )
    expect(end.code).toBe(1)
  },
  60_000,
)
