import { settingsAt } from '#workers/named-services.ts'
import type { Target } from './targets.ts'

/** The target with this one of the services of the settings as its service; undefined: with that of `PARSE_API_URL`. */
export const targetAt = (target: Target, service: string | undefined): Target =>
  service === undefined ? target : { ...target, settings: settingsAt(service, target.settings) }
