import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { tempFolder } from '../../support/temp-folder.ts'
import { FolderFixtureStore, type FixtureStore } from './fixture-store.ts'
import type { Program } from './program.ts'
import type { StoreAddress } from '../checker/store-files.ts'
import type { ChargingService } from '../service/charging-service.ts'
import type { FaultRedis } from './fault-redis.ts'

/** Where one run happens: its archive and its store, empty at the beginning and gone at the end. */
export interface Environment extends AsyncDisposable {
  readonly fixtures: FixtureStore
  /** Source and store, as the command line names them. */
  readonly source: string
  readonly out: string
  /** Folder for what the processes keep for themselves. */
  readonly state: string
  readonly store: StoreAddress
  /** How much longer everything takes here than between folders. */
  readonly pace: number
  /** What every process needs to come to source and store. */
  readonly env: Readonly<Record<string, string>>
  /** For a while the store refuses some of what is asked of it. Answers the flags of Node for a process that meets it. */
  trouble(): readonly string[]
  /** Writes to the store get no answer for so long; where the store is reached by a network. */
  readonly hang?: (lastsMs: number) => void
  /** From now on the store does what it is asked for. */
  heal(): void
}

/** What a run has to itself: an empty Redis, an environment, a service, and the program that it starts. */
export interface World {
  readonly environment: Environment
  readonly service: ChargingService
  readonly redis: FaultRedis
  readonly program: Program
  /** Ends the run at once, with an error. */
  readonly signal: AbortSignal
}

/** Gives each run its environment. */
export interface Target extends AsyncDisposable {
  open(plan: { readonly seed: number; readonly faultRate: number }): Promise<Environment>
}

const WRITE_ERRORS = join(import.meta.dirname, '../preloads/write-errors.ts')

/** Source and store are folders of this machine. */
export const folderTarget: Target = {
  async open({ seed }) {
    const folder = await tempFolder()
    const [source, out, state] = ['in', 'out', 'state'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ]
    await mkdir(source)
    return {
      fixtures: new FolderFixtureStore(source),
      source,
      out,
      state,
      store: { kind: 'folder', path: out },
      pace: 1,
      env: { FAULT_SEED: String(seed) },
      trouble: () => ['--import', WRITE_ERRORS],
      heal: () => undefined,
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    }
  },
  async [Symbol.asyncDispose]() {},
}
