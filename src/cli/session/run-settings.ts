import type { SettingName } from '#config/settings.ts'

type Names = readonly SettingName[]

/** Location of outputs. */
export const STORE_SETTINGS: Names = ['out', 's3Endpoint', 's3Region']

/** Locations and process behaviour: every command that opens a pipeline takes these. */
export const TARGET_SETTINGS: Names = [
  ...STORE_SETTINGS,
  'sourceName',
  'prefix',
  'parseApiUrl',
  'parseApiKey',
  'redisUrl',
  'stateDir',
  'cacheDir',
  'logLevel',
  'logFile',
]

/** Options of a request to the service. */
const OUTPUT_SETTINGS: Names = ['mode', 'formats', 'pages', 'blocks', 'options', 'rules', 'ocrFallback']

/** Routes of documents and pages to services. */
const ROUTE_SETTINGS: Names = ['route', 'neverSend', 'qualityFloor', 'buyShare', 'services', 'buyPages']

const PARSE_SETTINGS: Names = [...OUTPUT_SETTINGS, 'acceptLocal', 'upgrade', 'minGrade', ...ROUTE_SETTINGS]

/** Filters that select the documents of a source. */
const DOCUMENT_SETTINGS: Names = [
  'include',
  'exclude',
  'hidden',
  'followSymlinks',
  'archives',
  'archiveLimits',
  'passthrough',
  'splitLargePdfs',
  'via',
  'allowPrivateAddresses',
]

/** Settings for the pages of a website. */
const SITE_SETTINGS: Names = [
  'siteListing',
  'siteLimit',
  'siteDepth',
  'siteDelayMs',
  'siteDocuments',
  'siteIgnoreQuery',
  'ignoreRobots',
]

/** Storage options of objects. */
const BUCKET_SETTINGS: Names = ['s3Encryption', 's3KmsKeyId', 's3StorageClass', 's3PackMs']

/** Throughput and budget. */
const SPEED_SETTINGS: Names = [
  'concurrency',
  'answerMemoryMb',
  'rate',
  'apiConcurrency',
  'monthlyCredits',
  'prices',
  'onAmbiguous',
]

const PATIENCE_SETTINGS: Names = ['deadlineMs', 'graceMs', 'takeoverMs', 'storePatienceMs', 'servicePatienceMs']

/** The embedded engine. */
const CONVERSION_SETTINGS: Names = ['engineProcesses', 'engineOcrLanguages', 'engineHiddenSheets']

const METRICS_SETTINGS: Names = ['metricsPort', 'metricsHost']

const NOTIFY: Names = ['notifyUrl', 'notifySecret', 'notifyEvents']

export const WORK_SETTINGS: Names = [
  ...TARGET_SETTINGS,
  ...PARSE_SETTINGS,
  ...DOCUMENT_SETTINGS,
  ...SITE_SETTINGS,
  'newStore',
  ...BUCKET_SETTINGS,
  ...SPEED_SETTINGS,
  'reportedCredit',
  ...PATIENCE_SETTINGS,
  'caFile',
  'clientCert',
  'clientKey',
  'spool',
  ...CONVERSION_SETTINGS,
  ...METRICS_SETTINGS,
  ...NOTIFY,
]

/** Settings of a command that feeds the queue. */
export const FEED_SETTINGS: Names = [...WORK_SETTINGS, 'maxCredits', 'backlogLimit']

const DELETION_SETTINGS: Names = ['deleteGone', 'goneLimitPercent', 'force']

export const RUN_SETTINGS: Names = [...FEED_SETTINGS, 'strict', 'detectChanges', ...DELETION_SETTINGS]

/** The token of the endpoint is not a flag: every user of the machine can read the command line of a process. */
const FOLLOW_SETTINGS: Names = ['stableMs', 'rescanMs', 'poll', 'every', 'sqsQueue', 'eventsPort', 'eventsHost']

export const WATCH_SETTINGS: Names = [...RUN_SETTINGS, ...FOLLOW_SETTINGS]

/** `work` accepts no flag that sets a cap: the cap of the run applies to it. */
export const ALSO_ACCEPTED_BY_WORK = RUN_SETTINGS.filter((name) => name !== 'maxCredits')

/** Settings that affect the requests of a run and their cost. */
export const PLAN_SETTINGS: Names = [
  ...TARGET_SETTINGS,
  ...PARSE_SETTINGS,
  ...DOCUMENT_SETTINGS,
  ...SITE_SETTINGS,
  'detectChanges',
  'prices',
]

/** The engine alone; its flags omit `engine` from their names. */
export const ENGINE_COMMAND_SETTINGS: Names = [
  'graceMs',
  'engineHost',
  'enginePort',
  'engineSocket',
  'engineProcesses',
  'engineMemoryMb',
  'engineKeys',
  'enginePasswords',
  'engineOcrLanguages',
  'engineHiddenSheets',
  'engineModelUrl',
  'engineModelName',
  'engineModelKey',
  'engineAllowPrivateAddresses',
  'prices',
]

/** Heading of a setting's flag in `--help`. */
const GROUPS: Readonly<Record<string, Names>> = {
  'Locations:': [
    'out',
    'parseApiUrl',
    'parseApiKey',
    'sourceName',
    'prefix',
    'newStore',
    'redisUrl',
    'stateDir',
    'cacheDir',
  ],
  'Buckets:': ['s3Endpoint', 's3Region', ...BUCKET_SETTINGS],
  'Outputs:': OUTPUT_SETTINGS,
  'Documents:': [...DOCUMENT_SETTINGS, 'detectChanges', 'strict'],
  'Routing:': ROUTE_SETTINGS,
  'Websites:': SITE_SETTINGS,
  'Speed and cost:': [...SPEED_SETTINGS, ...CONVERSION_SETTINGS, 'maxCredits', 'backlogLimit'],
  'Following a source:': FOLLOW_SETTINGS,
  'Deletions:': DELETION_SETTINGS,
  'Timeouts:': PATIENCE_SETTINGS,
  'Log, metrics and notices:': ['logLevel', 'logFile', ...METRICS_SETTINGS, ...NOTIFY],
}

export const groupOf = (name: SettingName): string =>
  Object.entries(GROUPS).find(([, names]) => names.includes(name))?.[0] ?? 'Other settings:'
