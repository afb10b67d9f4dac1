import { type FileName, isShared, keyOf, rowOf, type Section, written } from './file-names.ts'
import { type Origin, type Origins, SETTING_NAMES } from './load.ts'
import type { Configuration } from './read-config.ts'
import { redactSecrets } from './secrets.ts'
import type { SettingName, Settings } from './settings.ts'

/** Effective value of a setting, safe to show. */
export interface Effective {
  readonly name: string
  readonly section: Section | null
  readonly key: string
  /** `undefined` if it is not set; never a secret. */
  readonly value: unknown
  readonly hidden: boolean
  /** `--mode`, `SLUICE_MODE`, `sluice.yaml:12` or `default`. */
  readonly from: string
}

export interface EffectiveConfiguration {
  readonly file: string | null
  readonly settings: readonly Effective[]
  /** Values of each pipeline that differ from the shared ones. */
  readonly pipelines: readonly {
    readonly name: string
    readonly source: string
    readonly at: string
    readonly settings: readonly Effective[]
  }[]
}

export function effectiveOf({ file, settings, origins, pipelines }: Configuration): EffectiveConfiguration {
  return {
    file: file?.path ?? null,
    settings: SETTING_NAMES.map((name) => effective(name, settings, origins)),
    pipelines: pipelines.map(({ name, source, at, ...own }) => {
      const different = SETTING_NAMES.filter(
        (setting) => !isShared(setting) && whereFrom(own.origins[setting]) !== whereFrom(origins[setting]),
      )
      return { name, source, at, settings: different.map((one) => effective(one, own.settings, own.origins)) }
    }),
  }
}

function effective(setting: SettingName, settings: Settings, origins: Origins): Effective {
  const value: unknown = settings[setting]
  const hidden = rowOf(setting).secret === true && value !== undefined
  const key: Pick<FileName, 'section' | 'key'> = keyOf(setting)
  return {
    name: written(key),
    ...key,
    value: hidden ? undefined : redactSecrets(value),
    hidden,
    from: whereFrom(origins[setting]),
  }
}

function whereFrom(origin: Origin): string {
  if (origin.from === 'default') return 'default'
  const by = origin.from === 'file' ? origin.at : origin.name
  return origin.inFile === undefined ? by : `${by}, in ${origin.inFile}`
}
