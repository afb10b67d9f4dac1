import { z } from 'zod'
import {
  address,
  checkedText,
  choice,
  duration,
  flag,
  list,
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

/** Settings that select documents of a source, watch it, and locate buckets. */
export const SOURCE_SETTINGS = {
  sourceName: optionalText({ placeholder: 'name', doc: 'stable name of a source that may be moved', common: true }),
  prefix: optionalText({ placeholder: 'name', doc: 'folder in the store for one of several sources', common: true }),
  newStore: flag({ doc: 'accept a store that differs or was emptied' }),
  include: list({ placeholder: 'globs', doc: 'only documents that match one of these globs', common: true }),
  exclude: list({ placeholder: 'globs', doc: 'leave out what matches one of these globs', common: true }),
  hidden: flag({ doc: 'take files and folders whose name starts with a dot' }),
  followSymlinks: flag({ doc: 'follow symbolic links' }),
  archives: flag({ doc: 'take the members of .zip, .tar and .tar.gz files', common: true }),
  archiveLimits: structure({
    schema: archiveLimits.default(archiveLimits.parse({})),
    doc: 'refuse larger archives: members, mb, ratio, as JSON',
  }),
  passthrough: flag({ default: true, doc: 'take .md and .txt as they are, without a request' }),
  strict: flag({ doc: 'exit with 2 where a file of no known format was skipped' }),
  detectChanges: choice({
    values: ['version', 'content'],
    default: 'version',
    doc: 'by size, date or ETag, or by content',
  }),
  splitLargePdfs: flag({ default: true, doc: 'cut PDFs over 50 MB or 300 s of service time' }),
  via: choice({
    values: ['scrape', 'download'],
    default: 'scrape',
    doc: 'let the service fetch URLs, or download and send them',
  }),
  allowPrivateAddresses: flag({ doc: 'fetch URLs of private and loopback addresses too' }),
  stableMs: duration({
    default: 2_000,
    min: 0,
    max: HOUR_MS,
    doc: 'watch, debounce: take a file unchanged for this long',
  }),
  rescanMs: optionalDuration({ min: 1_000, max: 24 * HOUR_MS, doc: 'watch: interval between full rescans' }),
  sqsQueue: address({
    protocols: ['http', 'https'],
    example: 'https://sqs.eu-central-1.amazonaws.com/123456789012/name',
    doc: 'watch: SQS queue that the bucket notifies',
    common: true,
  }),
  eventsPort: optionalNumber({ min: 0, max: 65535, doc: 'watch: port for POST /events/s3; 0 takes a free one' }),
  eventsHost: text({
    default: '127.0.0.1',
    placeholder: 'address',
    doc: 'watch: address of /events/s3; a token beyond loopback',
  }),
  eventsToken: optionalText({
    env: 'EVENTS_TOKEN',
    placeholder: 'token',
    doc: 'watch: token of requests to /events/s3',
    secret: true,
  }),
  every: checkedText({
    placeholder: '10m|cron',
    problem: timetableProblem,
    doc: 'watch: scan every 10m, 1h, 1d or as cron ("0 2 * * *")',
    common: true,
  }),
  poll: flag({ doc: 'watch by scans alone: for network mounts' }),
  s3Endpoint: address({
    protocols: ['http', 'https'],
    example: 'https://s3.example.com',
    doc: 'address of an S3-compatible store; none: AWS',
    common: true,
  }),
  s3Region: optionalText({ placeholder: 'region', doc: 'region of the buckets', common: true }),
  s3Encryption: choice({
    values: ['none', 'AES256', 'aws:kms'],
    default: 'none',
    doc: 'server-side encryption of objects',
  }),
  s3KmsKeyId: optionalText({ placeholder: 'id', doc: 'key for aws:kms' }),
  s3StorageClass: optionalText({ placeholder: 'class', doc: 'storage class of objects' }),
  s3PackMs: duration({ default: 0, min: 0, max: 60_000, doc: 'time that shares one object (a pack) in a new store' }),
}
