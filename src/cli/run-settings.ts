import type { SettingName } from '#config/settings.ts'

/** Where things are and how the process behaves: every command that opens a pipeline takes these. */
export const PLACE_SETTINGS: readonly SettingName[] = [
  'out',
  'parseApiUrl',
  'parseApiKey',
  'redisUrl',
  'stateDir',
  'cacheDir',
  'logLevel',
  'logFile',
]

/** What is asked of the service. */
export const PARSE_SETTINGS: readonly SettingName[] = [
  'mode',
  'formats',
  'pages',
  'blocks',
  'options',
  'rules',
  'ocrFallback',
]

export const WORK_SETTINGS: readonly SettingName[] = [
  ...PLACE_SETTINGS,
  ...PARSE_SETTINGS,
  'include',
  'exclude',
  'hidden',
  'followSymlinks',
  'concurrency',
  'rate',
  'deadlineMs',
  'graceMs',
  'storePatienceMs',
  'engineProcesses',
  'metricsPort',
]

export const RUN_SETTINGS: readonly SettingName[] = [...WORK_SETTINGS, 'maxCredits', 'backlogLimit']
