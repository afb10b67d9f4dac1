import type { Environment } from './environment.ts'
import { REMOVED_SETTINGS } from './removed-settings.ts'
import type { Origins } from './load.ts'
import { type SettingName, SETTINGS, type Settings } from './settings.ts'
import { type Setting, variableOf } from './setting.ts'
import { didYouMean } from './suggest.ts'

/** Variables of the launcher, the health check, the release and the benchmarks; they are not settings. */
const NON_SETTINGS = ['COMMAND', 'CONFIG', 'HANG_UP', 'HEALTH_URL', 'IMAGE', 'BENCH_USAGE'].map(
  (name) => `SLUICE_${name}`,
)

/** Variables that Kubernetes injects into every container for a Service `sluice`, or one with that prefix. */
const INJECTED = /^SLUICE_(SERVICE_|PORT|\w+_SERVICE_(HOST|PORT)|\w+_PORT_\d+_(TCP|UDP|SCTP))/

/** Maximum edit distance of a typo. */
const MAX_TYPO_EDITS = 2

/** Settings without the prefix. Variables of other programs are two edits away from REDIS_URL: REDIS_SSL, REDIS_TTL. */
const UNPREFIXED = { parseApiUrl: MAX_TYPO_EDITS, parseApiKey: MAX_TYPO_EDITS, redisUrl: 1 } as const

interface Checked {
  /** Settings of the command line and of each pipeline. */
  readonly settings: readonly Pick<Settings, 'services'>[]
  readonly origins: Origins
}

/**
 * Lists variables that are probably typos of known ones, and warns in one line about other names with the prefix. An
 * empty variable counts as unset.
 */
export function checkEnvironment(env: Environment, { settings, origins }: Checked) {
  const keys = settings.flatMap(({ services }) => Object.values(services).flatMap(({ keyEnv }) => keyEnv ?? []))
  const rows = Object.values<Setting<unknown>>(SETTINGS)
  const names = rows.map((row) => row.env)
  const files = [...rows.filter(({ secret }) => secret !== undefined).map((row) => row.env), ...keys]
  const known = new Set([...names, ...NON_SETTINGS, ...keys, ...files.map((name) => `${name}_FILE`)])
  const unknown = Object.keys(env).filter((name) => (env[name] ?? '') !== '' && !known.has(name))
  const prefixed = unknown.filter((name) => name.startsWith('SLUICE_') && !INJECTED.test(name))
  const meant = new Map(prefixed.map((name) => [name, didYouMean(name, [...known], MAX_TYPO_EDITS)]))
  for (const [setting, slip] of Object.entries(UNPREFIXED) as [SettingName, number][]) {
    // The setting has a value, so the variable belongs to another program.
    if (origins[setting].from !== 'default') continue
    const wanted = SETTINGS[setting].env
    for (const name of unknown.filter((one) => !one.startsWith('SLUICE_'))) {
      const close = didYouMean(name, [wanted], isAnagram(name, wanted) ? MAX_TYPO_EDITS : slip)
      if (close !== '') meant.set(name, close)
    }
  }
  const ignored = prefixed.filter((name) => meant.get(name) === '')
  return {
    problems: [...meant].flatMap(([name, close]) =>
      close === '' ? [] : [`there is no environment variable ${name}${close}`],
    ),
    warning:
      ignored.length === 0 ? null : `unknown environment variable ignored: ${ignored.map(withReplacement).join(', ')}`,
  }
}

/** Appends the replacement of a setting of an earlier release. */
function withReplacement(name: string): string {
  const found = Object.entries(REMOVED_SETTINGS).find(([setting]) => variableOf(setting.replace('.', '_')) === name)
  return found === undefined ? name : `${name} (${found[1]})`
}

const sorted = (text: string): string => text.split('').toSorted().join('')
const isAnagram = (one: string, other: string): boolean => sorted(one) === sorted(other)
