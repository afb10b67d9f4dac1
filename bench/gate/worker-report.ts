/** What a worker of a bench did, as it prints it at its end. */
export interface WorkerReport {
  /** Documents done by this process. */
  settled: number
  /** Documents begun; more than were sent where the gate gave them back. */
  started: number
  /** Tries that used up one of a document's attempts, and not its last. */
  counted: number
  /** Milliseconds of processor since it began, of all its threads. */
  cpuMs: number
  readonly errors: string[]
}
