import type { Command } from 'commander'

/** A row of `sluice --help`. The program loads a command's flags and code only when it is typed. */
export interface CommandRow {
  readonly name: string
  readonly group: string
  readonly description: string
  /** `createAll` makes the program with all commands. */
  readonly load: (createAll: () => Promise<Command>) => Promise<Command>
}

const WORK = 'Convert:'
const INSPECT = 'Inspect:'
const MANAGE = 'Manage:'
const OTHER = 'More:'

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'run',
    group: WORK,
    description: 'one pass over a folder, a bucket or a list of URLs: parse what is new or changed',
    load: async () => (await import('./commands/run.ts')).runCommand(),
  },
  {
    name: 'plan',
    group: WORK,
    description: 'what a run would do and what it would cost; reads the source and sends nothing',
    load: async () => (await import('./commands/plan.ts')).planCommand(),
  },
  {
    name: 'audit',
    group: INSPECT,
    description: 'a sample of pages through the embedded engine and the service: how far they agree, and what to buy',
    load: async () => (await import('./commands/audit.ts')).auditCommand(),
  },
  {
    name: 'watch',
    group: WORK,
    description: 'follow a folder or bucket: parse what changes, until stopped',
    load: async () => (await import('./commands/watch.ts')).watchCommand(),
  },
  {
    name: 'work',
    group: WORK,
    description: 'one more worker on the queue of a run or a watch',
    load: async () => (await import('./commands/work.ts')).workCommand(),
  },
  {
    name: 'retry',
    group: WORK,
    description: 'parse failed documents again, all or chosen ones',
    load: async () => (await import('./commands/retry.ts')).retryCommand(),
  },
  {
    name: 'status',
    group: INSPECT,
    description: 'where a source stands: done, failed, pending; what the gate and the workers do',
    load: async () => (await import('./commands/status.ts')).statusCommand(),
  },
  {
    name: 'view',
    group: INSPECT,
    description: 'the store and its run in a browser: documents beside their source, failures, progress',
    load: async () => (await import('./commands/view.ts')).viewCommand(),
  },
  {
    name: 'failures',
    group: INSPECT,
    description: 'every document that failed, with its reason',
    load: async () => (await import('./commands/failures.ts')).failuresCommand(),
  },
  {
    name: 'verify',
    group: INSPECT,
    description: 'check every file of a store against its record; repair what is damaged',
    load: async () => (await import('./commands/verify.ts')).verifyCommand(),
  },
  {
    name: 'doctor',
    group: INSPECT,
    description: 'check Redis, store, service and converters; each problem with a remedy',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  },
  {
    name: 'config',
    group: INSPECT,
    description: 'the settings in force and where each comes from, and every mistake in them',
    load: async () => (await import('./commands/config.ts')).configCommand(),
  },
  {
    name: 'pause',
    group: MANAGE,
    description: 'let no worker of a source start another document, on any machine',
    load: async () => (await import('./commands/pause.ts')).pauseCommand(),
  },
  {
    name: 'resume',
    group: MANAGE,
    description: 'let the workers of a source go on after a pause',
    load: async () => (await import('./commands/pause.ts')).resumeCommand(),
  },
  {
    name: 'render',
    group: MANAGE,
    description: 'derive all outputs from the receipts again; sends nothing',
    load: async () => (await import('./commands/render.ts')).renderCommand(),
  },
  {
    name: 'export',
    group: MANAGE,
    description: 'chunks of a store for retrieval, with exact citations; sends nothing',
    load: async () => (await import('./commands/export.ts')).exportCommand(),
  },
  {
    name: 'changes',
    group: INSPECT,
    description: 'what was added, changed, gone or removed in a store since a cursor; sends nothing',
    load: async () => (await import('./commands/changes.ts')).changesCommand(),
  },
  {
    name: 'gc',
    group: MANAGE,
    description: 'mark old receipts that no record and no dead letter refers to, and remove them a week later',
    load: async () => (await import('./commands/gc.ts')).gcCommand(),
  },
  {
    name: 'engine',
    group: OTHER,
    description: 'the engine alone: a server of POST /v2/parse and /v2/scrape, with real local conversion',
    load: async () => (await import('./commands/engine.ts')).engineCommand(),
  },
  {
    name: 'completion',
    group: OTHER,
    description: 'completion of commands and flags for bash, zsh or fish',
    load: async (createAll) => (await import('./commands/completion.ts')).completionCommand(createAll),
  },
]
