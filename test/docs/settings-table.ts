import { durationText } from '#config/duration.ts'
import { flagOf } from '#config/flag-name.ts'
import { keyOf, rowOf, written } from '#config/file-names.ts'
import { SETTINGS, type SettingName } from '#config/settings.ts'
import { groupOf, WATCH_SETTINGS } from '#src/cli/session/run-settings.ts'

const ENGINE = 'Engine:'

/** As docs/reference/settings.md has it: a table for each heading of `--help`, every setting of the code in one of them. */
export function settingsTables(): string {
  const names = (Object.keys(SETTINGS) as SettingName[]).toSorted()
  const groups = Map.groupBy(names, (name) => (keyOf(name).section === 'engine' ? ENGINE : groupOf(name)))
  return [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([group, members]) => [`## ${group.replace(/:$/, '')}`, '', ...HEAD, ...members.map(rowText)].join('\n'))
    .join('\n\n')
}

const HEAD = ['| setting | flag | environment | default | what it does |', '| --- | --- | --- | --- | --- |']

function rowText(name: SettingName): string {
  const { doc, env, unit } = rowOf(name)
  const key = keyOf(name)
  const file = rowOf(name).secret === true ? { ...key, key: `${key.key}File` } : key
  const about = `${doc}${unit === undefined ? '' : `, in ${unit}`}`.replaceAll('|', '\\|')
  return `| \`${written(file)}\` | ${flagText(name)} | \`${env}\` | ${defaultText(name)} | ${about} |`
}

function flagText(name: SettingName): string {
  const ofRun = WATCH_SETTINGS.includes(name) ? [`\`--${defaultOf(name) === true ? 'no-' : ''}${flagOf(name)}\``] : []
  if (keyOf(name).section !== 'engine') return ofRun[0] ?? 'none'
  return [...ofRun, `\`--${flagOf(keyOf(name).key)}\` of \`engine\``].join(', ')
}

const defaultOf = (name: SettingName): unknown => rowOf(name).schema.safeParse(undefined).data

function defaultText(name: SettingName): string {
  const { standard } = rowOf(name)
  if (standard !== undefined) return standard
  const value = defaultOf(name)
  if (value === undefined || value === '') return 'none'
  if (value === true) return 'on'
  if (value === false) return 'off'
  if (rowOf(name).duration === true && typeof value === 'number') return durationText(value)
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}
