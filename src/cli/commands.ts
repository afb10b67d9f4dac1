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
    description: 'parse new and changed documents of a folder, bucket, website or list of URLs',
    load: async () => (await import('./commands/run.ts')).runCommand(),
  },
  {
    name: 'plan',
    group: WORK,
    description: 'preview a run: its documents, requests and cost; sends nothing',
    load: async () => (await import('./commands/plan.ts')).planCommand(),
  },
  {
    name: 'audit',
    group: INSPECT,
    description: 'compare the embedded engine with the service on a sample of pages, to decide which pages to buy',
    load: async () => (await import('./commands/audit.ts')).auditCommand(),
  },
  {
    name: 'watch',
    group: WORK,
    description: 'parse new and changed documents of a folder or bucket until it is stopped',
    load: async () => (await import('./commands/watch.ts')).watchCommand(),
  },
  {
    name: 'work',
    group: WORK,
    description: 'add a worker to the queue of a run or watch',
    load: async () => (await import('./commands/work.ts')).workCommand(),
  },
  {
    name: 'retry',
    group: WORK,
    description: 'parse failed documents again, all or selected ones',
    load: async () => (await import('./commands/retry.ts')).retryCommand(),
  },
  {
    name: 'status',
    group: INSPECT,
    description: 'show the state of a source: documents by outcome, queue, workers, limiter',
    load: async () => (await import('./commands/status.ts')).statusCommand(),
  },
  {
    name: 'view',
    group: INSPECT,
    description: 'show a store in the browser: documents next to their originals, failures, progress',
    load: async () => (await import('./commands/view.ts')).viewCommand(),
  },
  {
    name: 'search',
    group: INSPECT,
    description: 'find passages in the documents of a store, each with its page and checked against its document',
    load: async () => (await import('./commands/search.ts')).searchCommand(),
  },
  {
    name: 'failures',
    group: INSPECT,
    description: 'list every failed document with its reason',
    load: async () => (await import('./commands/failures.ts')).failuresCommand(),
  },
  {
    name: 'verify',
    group: INSPECT,
    description: 'check every file of a store against its record, and repair damage',
    load: async () => (await import('./commands/verify.ts')).verifyCommand(),
  },
  {
    name: 'doctor',
    group: INSPECT,
    description: 'check Redis, store, service and converters, with a remedy for each problem',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  },
  {
    name: 'config',
    group: INSPECT,
    description: 'show the effective settings with their origins, and every mistake in them',
    load: async () => (await import('./commands/config.ts')).configCommand(),
  },
  {
    name: 'pause',
    group: MANAGE,
    description: 'stop all workers of a source, on every machine, from starting documents',
    load: async () => (await import('./commands/pause.ts')).pauseCommand(),
  },
  {
    name: 'resume',
    group: MANAGE,
    description: 'resume the workers of a source after a pause',
    load: async () => (await import('./commands/pause.ts')).resumeCommand(),
  },
  {
    name: 'render',
    group: MANAGE,
    description: 'write all outputs again from the receipts; sends nothing',
    load: async () => (await import('./commands/render.ts')).renderCommand(),
  },
  {
    name: 'export',
    group: MANAGE,
    description: 'export chunks of a store for retrieval, with exact citations; sends nothing',
    load: async () => (await import('./commands/export.ts')).exportCommand(),
  },
  {
    name: 'changes',
    group: INSPECT,
    description: 'list documents of a store added, changed, gone or removed since a cursor',
    load: async () => (await import('./commands/changes.ts')).changesCommand(),
  },
  {
    name: 'gc',
    group: MANAGE,
    description: 'mark receipts that no record or dead letter uses, and remove them after a week',
    load: async () => (await import('./commands/gc.ts')).gcCommand(),
  },
  {
    name: 'engine',
    group: OTHER,
    description: 'serve POST /v2/parse and /v2/scrape with local conversion, without a run',
    load: async () => (await import('./commands/engine.ts')).engineCommand(),
  },
  {
    name: 'completion',
    group: OTHER,
    description: 'print the shell completion of commands and flags for bash, zsh or fish',
    load: async (createAll) => (await import('./commands/completion.ts')).completionCommand(createAll),
  },
]
