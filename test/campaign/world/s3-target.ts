import { randomUUID } from 'node:crypto'
import { tempFolder } from '../../support/temp-folder.ts'
import { type S3Unavailable, startS3Server } from '../../support/s3-server.ts'
import { Random } from '../../support/random.ts'
import { BucketFixtureStore } from './bucket-fixture-store.ts'
import { PlainBucket } from './plain-s3.ts'
import { S3Proxy } from './s3-proxy.ts'
import type { Target } from './environment.ts'

const SOURCE = 'in/'
const STORE = 'parsed/'

/** A storm is over after so many requests; in the strongest every one meets something. */
const STORM_REQUESTS = [30, 100, 300]
const STORM_RATES = [0.3, 0.6, 1]

/** The client takes half a second to load, and a document takes ten requests. */
const PACE = 4

/** Between two polls of a process that follows its bucket: the least that can be set. */
const RESCAN_MS = 1_000

/** Without packs, and with packs of little and of some company. */
const PACK_MS = [0, 50, 300]

/** Source and store are prefixes of a bucket, a new one for each run, in one object store for the whole campaign. */
export async function openS3Target(): Promise<(Target & { readonly kind: 'ready' }) | S3Unavailable> {
  await using resources = new AsyncDisposableStack()
  const server = await startS3Server()
  if (server.kind === 'unavailable') return server
  resources.use(server)
  const proxy = resources.use(await S3Proxy.start(server.endpoint))
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const access = { endpoint, region, accessKeyId, secretAccessKey }
  const kept = resources.move()
  return {
    kind: 'ready',
    async open({ seed, faultRate }) {
      const bucket = new PlainBucket(access, `run-${seed}-${randomUUID().slice(0, 8)}`)
      const folder = await tempFolder()
      await bucket.create()
      const run = { bucket: bucket.name, seed }
      proxy.treat({ ...run, errorRate: faultRate })
      const random = new Random(seed + 2)
      return {
        fixtures: new BucketFixtureStore(bucket, SOURCE),
        source: `s3://${bucket.name}/${SOURCE}`,
        out: `s3://${bucket.name}/${STORE}`,
        state: folder.path,
        store: { kind: 's3', access, bucket: bucket.name, prefix: STORE },
        pace: PACE,
        env: {
          AWS_ACCESS_KEY_ID: accessKeyId,
          AWS_SECRET_ACCESS_KEY: secretAccessKey,
          SLUICE_S3_ENDPOINT: proxy.endpoint,
          SLUICE_RESCAN_MS: String(RESCAN_MS),
          SLUICE_S3_PACK_MS: String(new Random(seed + 4).pick(PACK_MS)),
        },
        trouble: () => {
          const storm = { requests: random.pick(STORM_REQUESTS), errorRate: random.pick(STORM_RATES) }
          proxy.treat({ ...run, errorRate: faultRate, storm })
          return []
        },
        hang: (hangMs) => proxy.treat({ ...run, errorRate: faultRate, hangMs }),
        heal: () => proxy.treat({ ...run, errorRate: 0 }),
        [Symbol.asyncDispose]: async () => {
          await folder[Symbol.asyncDispose]()
          await bucket.destroy()
        },
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
