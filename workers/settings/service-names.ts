import { keyOfService } from '#config/service-settings.ts'
import type { Settings } from '#config/settings.ts'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { SetupError } from '#src/document/setup-error.ts'

/** A service that a rule names and the settings do not have, or that has no service to stand beside. */
export function refuseServices({ rules, services, parseApiUrl }: Settings): void {
  const known = Object.keys(services)
  for (const [index, rule] of rules.entries()) {
    const { service } = rule
    if (service === undefined) continue
    if (service !== DEFAULT_SERVICE && !known.includes(service)) {
      const choice = known.length === 0 ? 'services is empty' : `services are ${known.join(', ')}`
      throw new SetupError(`rules[${index}].service: there is no service "${service}"; ${choice}`)
    }
    if (parseApiUrl === undefined) {
      throw new SetupError(
        `rules[${index}].service: documents that no rule sends to a service need one as well. Set PARSE_API_URL`,
      )
    }
  }
}

/** The services that rules name, but for that of the pipeline. */
export const namesUsed = ({ rules }: Pick<Settings, 'rules'>): string[] =>
  [...new Set(rules.map(({ service = DEFAULT_SERVICE }) => service))].filter((name) => name !== DEFAULT_SERVICE)

/** A run with these settings would not start: a service that a rule names has no key. */
export function refuseKeyless(settings: Settings): void {
  for (const name of namesUsed(settings)) settingsAt(name, settings)
}

/**
 * The settings of a pipeline as if its service were the one of this name.
 *
 * @throws {SetupError} where there is none of this name, or its key is not set
 */
export function settingsAt(name: string, settings: Settings): Settings {
  if (name === DEFAULT_SERVICE) return settings
  const service = settings.services[name]
  if (service === undefined) {
    const known = [DEFAULT_SERVICE, ...Object.keys(settings.services)].join(', ')
    throw new SetupError(`there is no service "${name}"; services are ${known}`)
  }
  return {
    ...settings,
    parseApiUrl: service.url,
    parseApiKey: keyOfService(name, service),
    prices: service.prices ?? settings.prices,
    reportedCredit: service.reportedCredit ?? settings.reportedCredit,
    rate: service.rate,
    apiConcurrency: service.apiConcurrency,
  }
}
