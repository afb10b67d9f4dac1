/**
 * How much of a listing of a bucket is the store's own time. argv: name of the bucket, number of objects in it. In
 * turns, three times each: a bare loop that asks for the pages of ListObjectsV2, eight folders of `keyOf` side by side,
 * and reads nothing in them but the next page, unsigned; and our source alone, which first has to find the folders.
 * Says the best of each as objects a second, and ours as a share of the bare loop's.
 */
import { dirname } from 'node:path'
import { Pool } from 'undici'
import { loadSettings } from '#config/load.ts'
import { openSource } from '#workers/open-source.ts'
import { keyOf, PER_FOLDER } from './synthetic-source.ts'

const ROUNDS = 3
const SIDE_BY_SIDE = 8

const [bucket = '', total = '0'] = process.argv.slice(2)
const count = Number(total)
const loaded = loadSettings({})
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
const { settings } = loaded
await using resources = new AsyncDisposableStack()
const around = { storeUrl: 'file:///nowhere/', say: () => undefined }
const { source } = await openSource(`s3://${bucket}`, settings, around, resources)
const pool = new Pool(settings.s3Endpoint ?? '', { connections: SIDE_BY_SIDE })
resources.defer(() => pool.close())

const bare: number[] = []
const ours: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  bare.push(await rateOf(bareLoop))
  ours.push(await rateOf(sourceLoop))
}
const [bareRate, sourceRate] = [Math.max(...bare), Math.max(...ours)]
const ratio = Math.round((sourceRate / bareRate) * 100) / 100
process.stdout.write(
  `${JSON.stringify({ bare_files_per_s: Math.round(bareRate), source_files_per_s: Math.round(sourceRate), ratio })}\n`,
)

async function rateOf(list: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const listed = await list()
  if (listed !== count) throw new Error(`${list.name} listed ${listed} objects of ${count}`)
  return (count * 1000) / (performance.now() - startedAt)
}

async function sourceLoop(): Promise<number> {
  let listed = 0
  for await (const item of source.list(new AbortController().signal)) if (item.kind === 'document') listed += 1
  return listed
}

async function bareLoop(): Promise<number> {
  const folders = Array.from({ length: Math.ceil(count / PER_FOLDER) }, (_, at) => dirname(keyOf(at * PER_FOLDER)))
  let listed = 0
  const listSome = async (): Promise<void> => {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const prefix = `prefix=${encodeURIComponent(`${folder}/`)}`
      for (let next: string | undefined = prefix; next !== undefined;) {
        const page = await barePage(next)
        listed += Number(/<KeyCount>(\d+)</.exec(page)?.[1])
        const token = /<NextContinuationToken>([^<]*)</.exec(page)?.[1]
        next = token === undefined ? undefined : `${prefix}&continuation-token=${encodeURIComponent(token)}`
      }
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, listSome))
  return listed
}

async function barePage(query: string): Promise<string> {
  const path = `/${bucket}?list-type=2&encoding-type=url&${query}`
  const { statusCode, body } = await pool.request({ method: 'GET', path })
  const page = await body.text()
  if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode}`)
  return page
}
