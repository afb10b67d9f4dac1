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
  text,
  whole,
} from './setting.ts'
import { timetableProblem } from './timetable-problem.ts'

const HOUR_MS = 3_600_000

/** What of a source is taken, how it is followed, and where buckets are. */
export const SOURCE_SETTINGS = {
  sourceName: optionalText({
    env: 'SLUICE_SOURCE_NAME',
    placeholder: 'name',
    doc: 'stable name of the source in its store: an archive that was moved or mounted elsewhere continues under it',
  }),
  prefix: optionalText({
    env: 'SLUICE_PREFIX',
    placeholder: 'name',
    doc: 'folder of the store that the documents of this source go to, so that one store can hold several sources',
  }),
  newStore: flag({
    env: 'SLUICE_NEW_STORE',
    default: false,
    doc: 'accept a store that differs from the one used before, or that was emptied',
  }),
  include: list({ env: 'SLUICE_INCLUDE', placeholder: 'globs', doc: 'only documents that match one of these globs' }),
  exclude: list({ env: 'SLUICE_EXCLUDE', placeholder: 'globs', doc: 'leave out what matches one of these globs' }),
  hidden: flag({ env: 'SLUICE_HIDDEN', default: false, doc: 'take files and folders whose name starts with a dot' }),
  followSymlinks: flag({ env: 'SLUICE_FOLLOW_SYMLINKS', default: false, doc: 'follow symbolic links' }),
  archives: flag({
    env: 'SLUICE_ARCHIVES',
    default: false,
    doc: 'open .zip, .tar and .tar.gz files and take their members as documents',
  }),
  archiveMembers: whole({
    env: 'SLUICE_ARCHIVE_MEMBERS',
    default: 10_000,
    min: 1,
    max: 10_000_000,
    unit: 'members',
    doc: 'refuse an archive that holds more',
  }),
  archiveMb: whole({
    env: 'SLUICE_ARCHIVE_MB',
    default: 2048,
    min: 1,
    max: 1_000_000,
    unit: 'MiB',
    doc: 'refuse an archive whose documents take more when they are unpacked; they lie in the temporary folder',
  }),
  archiveRatio: whole({
    env: 'SLUICE_ARCHIVE_RATIO',
    default: 200,
    min: 1,
    max: 1_000_000,
    doc: 'refuse an archive over 10 MiB unpacked that unpacks to more than so many times its size',
  }),
  passthrough: flag({
    env: 'SLUICE_PASSTHROUGH',
    default: true,
    doc: 'take .md, .markdown and .txt files as they are, for 0 credits and without a request (never with redactPII)',
  }),
  strict: flag({
    env: 'SLUICE_STRICT',
    default: false,
    doc: 'exit with 2 where a file was skipped because no parser takes its format',
  }),
  checksum: flag({
    env: 'SLUICE_CHECKSUM',
    default: false,
    doc: 'compare content (SHA-256) instead of size, date and inode, or of the ETag: reads every document in each scan',
  }),
  splitLargePdfs: flag({
    env: 'SLUICE_SPLIT_LARGE_PDFS',
    default: true,
    doc: 'split PDFs over 50 MB by pages, parse the pieces and merge them into one document',
  }),
  via: choice({
    env: 'SLUICE_VIA',
    values: ['scrape', 'download'],
    default: 'scrape',
    doc: 'how a list of URLs is parsed: the service fetches them (POST /v2/scrape), or they are downloaded and sent',
  }),
  allowPrivateAddresses: flag({
    env: 'SLUICE_ALLOW_PRIVATE_ADDRESSES',
    default: false,
    doc: 'fetch URLs that lead to private, loopback and link-local addresses too',
  }),
  refresh: flag({
    env: 'SLUICE_REFRESH',
    default: false,
    doc: 'treat URLs whose servers send no version (no ETag, no Last-Modified) as changed',
  }),
  stableMs: duration({
    env: 'SLUICE_STABLE_MS',
    default: 2_000,
    min: 0,
    max: HOUR_MS,
    doc: 'debounce: ingest a watched file once it has been unchanged for this long',
  }),
  rescanMs: optionalDuration({
    env: 'SLUICE_RESCAN_MS',
    min: 1_000,
    max: 24 * HOUR_MS,
    doc: 'interval between full rescans, which catch what events missed',
  }),
  sqsQueue: address({
    env: 'SLUICE_SQS_QUEUE',
    protocols: ['http', 'https'],
    example: 'https://sqs.eu-central-1.amazonaws.com/123456789012/name',
    doc: 'SQS queue that the watched bucket notifies: its notifications are handled at once',
  }),
  eventsPort: optionalNumber({
    env: 'SLUICE_EVENTS_PORT',
    min: 0,
    max: 65535,
    doc: 'port for POST /events/s3, for stores that push notifications of the watched bucket; 0 takes a free one',
  }),
  eventsHost: text({
    env: 'SLUICE_EVENTS_HOST',
    default: '127.0.0.1',
    placeholder: 'address',
    doc: 'address that /events/s3 is reached at; any but loopback needs a token',
  }),
  eventsToken: optionalText({
    env: 'EVENTS_TOKEN',
    placeholder: 'token',
    doc: 'what must come with each request to /events/s3, as "Authorization: Bearer …" or "?token=…"',
    secret: true,
  }),
  every: checkedText({
    env: 'SLUICE_EVERY',
    placeholder: '10m|cron',
    problem: timetableProblem,
    doc: 'scan on a schedule instead of following events: every 30s, 10m, 1h, 1d, or a cron pattern ("0 2 * * *")',
  }),
  poll: flag({ env: 'SLUICE_POLL', default: false, doc: 'watch by scans alone: for network mounts' }),
  s3Endpoint: address({
    env: 'SLUICE_S3_ENDPOINT',
    protocols: ['http', 'https'],
    example: 'https://s3.example.com',
    doc: 'base address of an S3-compatible store; AWS itself when not given',
  }),
  s3Region: optionalText({ env: 'SLUICE_S3_REGION', placeholder: 'region', doc: 'region of the buckets' }),
  s3Encryption: choice({
    env: 'SLUICE_S3_ENCRYPTION',
    values: ['none', 'AES256', 'aws:kms'],
    default: 'none',
    doc: 'server-side encryption of what is written to a bucket',
  }),
  s3KmsKeyId: optionalText({ env: 'SLUICE_S3_KMS_KEY_ID', placeholder: 'id', doc: 'key for aws:kms' }),
  s3StorageClass: optionalText({
    env: 'SLUICE_S3_STORAGE_CLASS',
    placeholder: 'class',
    doc: 'storage class of what is written to a bucket',
  }),
  s3InlineKb: whole({
    env: 'SLUICE_S3_INLINE_KB',
    default: 0,
    min: 0,
    max: 4096,
    doc: 'outputs of a document in a bucket that take no more together, in KiB, are written into its record.json: fewer requests; 0: each output is an object',
  }),
}
