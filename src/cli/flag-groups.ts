import type { SettingName } from '#config/settings.ts'

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
  'Buckets:': ['s3Endpoint', 's3Region', 's3Encryption', 's3KmsKeyId', 's3StorageClass'],
  'What comes out:': ['mode', 'formats', 'pages', 'blocks', 'options', 'rules', 'ocrFallback'],
  'Which documents:': [
    'include',
    'exclude',
    'hidden',
    'followSymlinks',
    'archives',
    'archiveMembers',
    'archiveMb',
    'archiveRatio',
    'passthrough',
    'splitLargePdfs',
    'via',
    'allowPrivateAddresses',
    'refresh',
    'checksum',
    'strict',
  ],
  'Websites:': ['siteListing', 'siteLimit', 'siteDepth', 'siteDelayMs', 'siteDocuments', 'llmsTxt', 'ignoreRobots'],
  'Speed and cost:': [
    'concurrency',
    'answerMemoryMb',
    'engineProcesses',
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
  'Patience:': [
    'deadlineMs',
    'graceMs',
    'takeoverMs',
    'storePatienceMs',
    'storeSlowMs',
    'servicePatienceMs',
    'receiptMinAgeMs',
  ],
  'Log and metrics:': ['logLevel', 'logFile', 'metricsPort', 'metricsHost'],
}

export const groupOf = (name: SettingName): string =>
  Object.entries(GROUPS).find(([, names]) => names.includes(name))?.[0] ?? 'More:'
