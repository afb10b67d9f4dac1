import type { Settings } from '#config/settings.ts'
import { checkConverters as loadConverters } from '#src/engine/children/check-converters.ts'
import { checkRedis } from './check-redis.ts'
import { checkService } from './check-service.ts'
import { checkStore } from './check-store.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

/** Checks everything that a run needs, and changes nothing. */
export async function* examine(settings: Settings): AsyncGenerator<DoctorFinding> {
  yield* checkMachine()
  yield* await checkRedis(settings)
  yield* await checkStore(settings)
  yield* await checkService(settings)
  yield* await checkConverters()
}

const TESTED = ['linux x64', 'linux arm64']

function checkMachine(): DoctorFinding[] {
  const platform = `${process.platform} ${process.arch}`
  const summary = `Node ${process.versions.node} on ${platform}`
  if (TESTED.includes(platform)) return [ok('machine', summary)]
  return [
    warning('machine', summary, `Sluice is tested on ${TESTED.join(' and ')}; elsewhere install redis-server by hand`),
  ]
}

/** Whether the converters and their native parts load, and OCR has its data. */
async function checkConverters(): Promise<DoctorFinding[]> {
  try {
    await loadConverters()
    return [ok('converters', 'all load; OCR languages: eng, others when a page needs them')]
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return [problem('converters', message, 'install again: npm install (or npm ci) with optional packages')]
  }
}
