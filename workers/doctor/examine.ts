import type { Settings } from '#config/settings.ts'
import { checkConverters } from './check-converters.ts'
import { checkMachine } from './check-machine.ts'
import { checkRedis } from './check-redis.ts'
import { checkService } from './check-service.ts'
import { checkStore } from './check-store.ts'
import type { DoctorFinding } from './finding.ts'

/** Checks everything that a run needs, and changes nothing. */
export async function* examine(settings: Settings): AsyncGenerator<DoctorFinding> {
  yield* checkMachine()
  yield* await checkRedis(settings)
  yield* await checkStore(settings)
  yield* await checkService(settings)
  yield* await checkConverters()
}
