import { setTimeout as sleep } from 'node:timers/promises'
import { scans } from '../world/sluice-processes.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'

const FREEZE_MS = 2_500
const CHANGES = 5

const first = ({ processes }: FaultContext) => processes.living.slice(0, 1)

/** Faults of whole processes, of Redis and of the archive, in the order in which a seed draws from them. */
export const PROCESS_FAULTS = {
  kill: { inject: async (context) => context.kill(first(context)) },
  'kill-all': { inject: async ({ kill, processes }) => kill(processes.living) },
  terminate: {
    inject: async (context) => {
      for (const victim of first(context)) await context.terminate(victim)
    },
  },
  freeze: {
    inject: async (context) => {
      for (const victim of first(context)) {
        const over = await context.interrupted([victim])
        victim.child.kill('SIGSTOP')
        await sleep(FREEZE_MS)
        victim.child.kill('SIGCONT')
        over()
      }
    },
  },
  'kill-redis': { inject: async ({ redis }) => redis.killServer() },
  'second-run': { inject: async ({ processes }) => void processes.start('run') },
  change: {
    inject: async ({ archive, note }) => {
      for (let count = 0; count < CHANGES; count++) note(await archive.change())
    },
  },
  'write-errors': {
    inject: async ({ processes, environment }) => void processes.start('run', environment.trouble()),
  },
} as const satisfies Record<string, FaultClass>

/** Faults that only plans of their own have. */
export const PLANNED_FAULTS = {
  /** A process that is no run is killed. */
  'kill-worker': {
    inject: async ({ kill, processes }) => kill(processes.living.filter((one) => !scans(one)).slice(0, 1)),
  },
} as const satisfies Record<string, FaultClass>
