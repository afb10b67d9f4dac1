import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** What a command cost: of the processor, with all processes that it started and waited for. */
export interface RunCost {
  readonly seconds: number
  readonly cpuMs: number
  /** Most resident memory of one of its processes, of those that were seen. */
  readonly peakMb: number
  /** Last line that it printed. */
  readonly lastLine: string
}

const POLL_MS = 100

/** The shell that starts the command counts the processor time of it and of its children. `onPoll` gets the processes that run. */
export async function measuredRun(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  onPoll: (pids: readonly number[]) => void = () => undefined,
): Promise<RunCost> {
  const began = performance.now()
  let peakKb = 0
  const ended = Promise.withResolvers<string>()
  const shell = execFile(
    'sh',
    ['-c', '"$@" || exit; times', 'sh', ...command],
    { env: { ...process.env, ...env }, maxBuffer: 1e8 },
    (error, stdout, stderr) =>
      error === null ? ended.resolve(stdout) : ended.reject(new Error(stderr, { cause: error })),
  )
  const timer = setInterval(() => {
    const pids = descendants(shell.pid ?? 0)
    peakKb = Math.max(peakKb, ...pids.map(peakKbOf))
    onPoll(pids)
  }, POLL_MS)
  try {
    const lines = (await ended.promise).trimEnd().split('\n')
    const seconds = (performance.now() - began) / 1000
    // `times`: a line of the shell, and one of its children.
    const times = [...(lines.pop() ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
    const cpuMs = times.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60_000 + Number(rest) * 1000, 0)
    lines.pop()
    return { seconds, cpuMs, peakMb: peakKb / 1024, lastLine: lines.at(-1) ?? '' }
  } finally {
    clearInterval(timer)
  }
}

function descendants(pid: number): readonly number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return children.flatMap((child) => [child, ...descendants(child)])
  } catch {
    // It has ended by now.
    return []
  }
}

function peakKbOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
