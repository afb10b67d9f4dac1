import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** What a command cost: of the processor, with all processes that it started and waited for. */
export interface RunCost {
  readonly seconds: number
  readonly cpuMs: number
  /** Most resident memory of one of its processes, of those that were seen. */
  readonly peakMb: number
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
    // `times` ends with the line of the children.
    const line = (await ended.promise).trimEnd().split('\n').at(-1) ?? ''
    const seconds = (performance.now() - began) / 1000
    const times = [...line.matchAll(/(\d+)m([\d.]+)s/g)]
    const cpuMs = times.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60_000 + Number(rest) * 1000, 0)
    return { seconds, cpuMs, peakMb: peakKb / 1024 }
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
