/** What a worker of a bench did, as it prints it at its end. */
export interface WorkerReport {
  done: number
  /** Documents that ended failed. */
  failed: number
  /** Documents begun; more than were sent where the gate gave them back. */
  started: number
  sent: number
  /** Answered with a 429. */
  refused: number
  /** Tries that used up one of a document's attempts, and not its last. */
  counted: number
  /** Scripts of the limiter. */
  scriptCalls: number
  /** Milliseconds of processor since it began, of all its threads. */
  cpuMs: number
  readonly errors: string[]
}
