import { keyOfService } from '#config/service-settings.ts'
import type { Settings } from '#config/settings.ts'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { SetupError } from '#src/document/setup-error.ts'

/**
 * Refuses a rule whose service is missing from the settings. Refuses it also without PARSE_API_URL: documents without
 * such a rule need a service too.
 */
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
        `rules[${index}].service: a rule names a service, so the other documents need one too: set PARSE_API_URL`,
      )
    }
  }
}

/** The services that rules name, except that of the pipeline. */
export const namesUsed = ({ rules }: Pick<Settings, 'rules'>): string[] =>
  [...new Set(rules.map(({ service = DEFAULT_SERVICE }) => service))].filter((name) => name !== DEFAULT_SERVICE)

/** Refuses a service in a rule without a key: a run with these settings would not start. */
export function refuseKeyless(settings: Settings): void {
  for (const name of namesUsed(settings)) settingsAt(name, settings)
}

/**
 * The settings of a pipeline with the named service as its service.
 *
 * @throws {SetupError} if the name is unknown, or its key is not set
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
