import { z } from 'zod'
import {
  address,
  checkedText,
  choice,
  duration,
  flag,
  globs,
  optionalDuration,
  optionalNumber,
  optionalText,
  structure,
  text,
} from './setting.ts'
import { timetableProblem } from './timetable-problem.ts'

const HOUR_MS = 3_600_000

/**
 * An archive over any of these limits is refused as a unit. `mb`: MiB unpacked; `ratio`: unpacked size to packed size.
 */
const archiveLimits = z.strictObject({
  members: z.int().min(1).max(10_000_000).default(10_000),
  mb: z.int().min(1).max(1_000_000).default(2048),
  ratio: z.int().min(1).max(1_000_000).default(200),
})

const relativeGlob = z
  .string()
  .min(1)
  .refine(
    (glob) => !/^~?\//.test(glob),
    'globs are relative to the source: leave out the path of the source, "/" and "~/"',
  )

/** Settings that select documents of a source, watch it, and locate buckets. */
export const SOURCE_SETTINGS = {
  sourceName: optionalText({
    placeholder: 'name',
    doc: 'name of the source, stable when its path changes',
    common: true,
  }),
  prefix: optionalText({ placeholder: 'name', doc: 'subfolder of --out for the outputs of this source', common: true }),
  newStore: flag({ doc: 'accept that --out now holds another store, or none' }),
  include: globs({ doc: 'only documents that match a glob', common: true }, relativeGlob),
  exclude: globs({ doc: 'skip documents that match a glob', common: true }, relativeGlob),
  hidden: flag({ doc: 'include files and folders whose names start with a dot' }),
  followSymlinks: flag({ doc: 'follow symbolic links' }),
  archives: flag({ doc: 'read the members of .zip, .tar and .tar.gz files', common: true }),
  archiveLimits: structure({
    schema: archiveLimits.default(archiveLimits.parse({})),
    doc: 'limits of an archive: members, MiB unpacked, compression ratio, as JSON',
  }),
  passthrough: flag({
    default: true,
    doc: 'convert texts, code, notebooks, subtitles, mail text; off: skip them',
    negated: 'skip texts, code, notebooks, subtitles and the text of mails',
  }),
  strict: flag({ doc: 'exit with code 2 if a file of unknown format was skipped' }),
  detectChanges: choice({
    values: ['version', 'content'],
    default: 'version',
    doc: 'detect changes by size and date or ETag, or by content hash',
  }),
  splitLargePdfs: flag({ default: true, doc: 'split PDFs over 50 MB or 300 s of parse time into parts' }),
  via: choice({
    values: ['scrape', 'download'],
    default: 'scrape',
    doc: 'URLs: the service fetches them, or Sluice downloads and sends them',
  }),
  allowPrivateAddresses: flag({ doc: 'allow URLs at private and loopback addresses' }),
  stableMs: duration({
    default: 2_000,
    min: 0,
    max: HOUR_MS,
    doc: 'watch: debounce; parse a file once it is unchanged for this long',
  }),
  rescanMs: optionalDuration({ min: 1_000, max: 24 * HOUR_MS, doc: 'watch: interval between full scans' }),
  sqsQueue: address({
    protocols: ['http', 'https'],
    example: 'https://sqs.eu-central-1.amazonaws.com/123456789012/name',
    doc: 'watch: URL of the SQS queue that the bucket notifies',
    common: true,
  }),
  eventsPort: optionalNumber({ min: 0, max: 65535, doc: 'watch: port for POST /events/s3; 0 picks a free one' }),
  eventsHost: text({
    default: '127.0.0.1',
    placeholder: 'address',
    doc: 'watch: listen address of /events/s3; beyond loopback set EVENTS_TOKEN',
  }),
  eventsToken: optionalText({
    env: 'EVENTS_TOKEN',
    placeholder: 'token',
    doc: 'watch: token that requests to /events/s3 must carry',
    secret: true,
  }),
  every: checkedText({
    placeholder: '10m|cron',
    problem: timetableProblem,
    doc: 'watch: scan at an interval (10m, 1d) or by cron ("0 2 * * *")',
    common: true,
  }),
  poll: flag({ doc: 'watch: scan only, without file events, for network mounts' }),
  s3Endpoint: address({
    protocols: ['http', 'https'],
    example: 'https://s3.example.com',
    doc: 'address of an S3-compatible service',
    standard: 'AWS',
    common: true,
  }),
  s3Region: optionalText({ placeholder: 'region', doc: 'region of the buckets', common: true }),
  s3Encryption: choice({
    values: ['none', 'AES256', 'aws:kms'],
    default: 'none',
    doc: 'server-side encryption of objects',
  }),
  s3KmsKeyId: optionalText({ placeholder: 'id', doc: 'id of the KMS key for aws:kms' }),
  s3StorageClass: optionalText({ placeholder: 'class', doc: 'storage class of objects' }),
  s3PackMs: duration({
    default: 0,
    min: 0,
    max: 60_000,
    doc: 'new store: write small objects of this time as one pack',
  }),
}
