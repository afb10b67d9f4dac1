import type { SettingName } from '#config/settings.ts'

/** Where outputs are. */
export const STORE_SETTINGS: readonly SettingName[] = ['out', 's3Endpoint', 's3Region']

/** Where things are and how the process behaves: every command that opens a pipeline takes these. */
export const TARGET_SETTINGS: readonly SettingName[] = [
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

/** What is asked of the service. */
const PARSE_SETTINGS: readonly SettingName[] = [
  'mode',
  'formats',
  'pages',
  'blocks',
  'options',
  'rules',
  'ocrFallback',
  'acceptLocal',
  'upgrade',
  'minGrade',
  'route',
  'neverSend',
  'qualityFloor',
  'buyShare',
  'services',
  'buyPages',
]

/** Which files of a source are documents. */
const DOCUMENT_SETTINGS: readonly SettingName[] = [
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
  'refresh',
]

/** Which pages of a website are documents. */
const SITE_SETTINGS: readonly SettingName[] = [
  'siteListing',
  'siteLimit',
  'siteDepth',
  'siteDelayMs',
  'siteDocuments',
  'ignoreRobots',
]

const SELECTION_SETTINGS: readonly SettingName[] = [...DOCUMENT_SETTINGS, ...SITE_SETTINGS]

export const WORK_SETTINGS: readonly SettingName[] = [
  ...TARGET_SETTINGS,
  ...PARSE_SETTINGS,
  ...SELECTION_SETTINGS,
  'newStore',
  's3Encryption',
  's3KmsKeyId',
  's3StorageClass',
  's3InlineKb',
  's3PackMs',
  'concurrency',
  'answerMemoryMb',
  'rate',
  'apiConcurrency',
  'monthlyCredits',
  'prices',
  'reportedCredit',
  'onAmbiguous',
  'deadlineMs',
  'graceMs',
  'takeoverMs',
  'caFile',
  'clientCert',
  'clientKey',
  'storePatienceMs',
  'spool',
  'storeSlowMs',
  'servicePatienceMs',
  'engineProcesses',
  'engineOcrLanguages',
  'engineHiddenSheets',
  'metricsPort',
  'metricsHost',
]

/** What keeps jobs coming. */
export const FEED_SETTINGS: readonly SettingName[] = [...WORK_SETTINGS, 'maxCredits', 'backlogLimit']

/** How a run or a watch scans its source. */
const LOOK_SETTINGS: readonly SettingName[] = ['strict', 'checksum', 'deleteGone', 'goneLimitPercent', 'force']

export const RUN_SETTINGS: readonly SettingName[] = [...FEED_SETTINGS, ...LOOK_SETTINGS]

/** The token of the endpoint is no flag: every user of the machine can read the command line of a process. */
export const WATCH_SETTINGS: readonly SettingName[] = [
  ...FEED_SETTINGS,
  ...LOOK_SETTINGS,
  'stableMs',
  'rescanMs',
  'poll',
  'every',
  'sqsQueue',
  'eventsPort',
  'eventsHost',
]

/** Of a run's flags, `work` accepts none that sets a cap: it obeys that of the run. */
export const ALSO_ACCEPTED_BY_WORK = RUN_SETTINGS.filter((name) => name !== 'maxCredits')

/** What decides what would be sent and what it would cost. */
export const PLAN_SETTINGS: readonly SettingName[] = [
  ...TARGET_SETTINGS,
  ...PARSE_SETTINGS,
  ...SELECTION_SETTINGS,
  'checksum',
  'prices',
]

/** The engine alone; its flags are written without `engine`. */
export const ENGINE_COMMAND_SETTINGS: readonly SettingName[] = [
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

/** Under which heading `--help` lists the flag of a setting. */
const GROUPS: Readonly<Record<string, readonly SettingName[]>> = {
  'Where:': [
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
  'Buckets:': ['s3Endpoint', 's3Region', 's3Encryption', 's3KmsKeyId', 's3StorageClass', 's3InlineKb', 's3PackMs'],
  'What comes out:': ['mode', 'formats', 'pages', 'blocks', 'options', 'rules', 'ocrFallback'],
  'Which documents:': [...DOCUMENT_SETTINGS, 'checksum', 'strict'],
  'Where documents are parsed:': ['route', 'neverSend', 'qualityFloor', 'buyShare', 'buyPages', 'services'],
  'Websites:': SITE_SETTINGS,
  'Speed and cost:': [
    'concurrency',
    'answerMemoryMb',
    'engineProcesses',
    'engineOcrLanguages',
    'engineHiddenSheets',
    'rate',
    'apiConcurrency',
    'maxCredits',
    'monthlyCredits',
    'prices',
    'onAmbiguous',
    'backlogLimit',
  ],
  'Following a source:': ['every', 'stableMs', 'rescanMs', 'poll', 'sqsQueue', 'eventsPort', 'eventsHost'],
  'Deletions:': ['deleteGone', 'goneLimitPercent', 'force'],
  'Patience:': ['deadlineMs', 'graceMs', 'takeoverMs', 'storePatienceMs', 'storeSlowMs', 'servicePatienceMs'],
  'Log and metrics:': ['logLevel', 'logFile', 'metricsPort', 'metricsHost'],
}

export const groupOf = (name: SettingName): string =>
  Object.entries(GROUPS).find(([, names]) => names.includes(name))?.[0] ?? 'More:'
