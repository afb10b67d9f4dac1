import type { Random } from '../../support/random.ts'
import type { RunningSluice } from '../../support/sluice.ts'
import type { DoubtsSeen } from '../checker/doubts-seen.ts'
import type { KeptUnits } from '../checker/kept-units.ts'
import type { Breaches } from '../checker/laws.ts'
import type { StoreFiles } from '../checker/store-files.ts'
import type { Journal } from '../journal.ts'
import type { ChargingService } from '../service/charging-service.ts'
import type { Archive } from '../world/archive.ts'
import type { Environment } from '../world/environment.ts'
import type { FaultRedis } from '../world/fault-redis.ts'
import type { SluiceProcesses } from '../world/sluice-processes.ts'

/** The parts of one run. */
export interface RunParts {
  readonly processes: SluiceProcesses
  readonly archive: Archive
  readonly redis: FaultRedis
  readonly service: ChargingService
  readonly environment: Environment
  readonly files: StoreFiles
  readonly doubts: DoubtsSeen
  /** Null where pages are not bought. */
  readonly keptPages: KeptUnits | null
  readonly concurrency: number
  readonly random: Random
  readonly breaches: Breaches
  readonly journal: Journal
  /** The store is damaged from outside: what is read of it until this is disposed of shows nothing. */
  readonly damaging: () => AsyncDisposable
}

/** What a fault can lay its hands on. */
export interface FaultContext extends RunParts {
  readonly note: (text: string) => void
  /** What is in flight to these processes may be in doubt, from now on until the function returned is called. */
  readonly interrupted: (victims: readonly RunningSluice[]) => Promise<() => void>
  /** Redis is about to lose data: what it counts as in doubt is remembered. */
  readonly losingData: () => Promise<void>
  /** What so many processes had in flight when a copy of Redis was taken is in doubt where the copy comes back. */
  readonly copied: (processes: number) => void
  /** SIGTERM, or another signal, to any process; one that goes on after its grace is a breach. */
  readonly terminate: (victim: RunningSluice, signal?: NodeJS.Signals) => Promise<void>
  readonly kill: (victims: readonly RunningSluice[]) => Promise<void>
}

/**
 * One way to fail. To add one: a file here that exports it, a line in `index.ts`, and a planted mistake in `mutants.ts`
 * that this class finds.
 */
export interface FaultClass {
  /** Where it can be done; everywhere when not given. */
  readonly target?: 'folder' | 's3'
  inject(context: FaultContext): Promise<void>
}
