import { readdirSync, readFileSync } from 'node:fs'
import { processUsage } from '../../packages/engine/src/children/process-usage.ts'

const MS_PER_TICK = 10

/** Processor time in ms of a process and of all that it started, also of those that have ended (proc(5), `cutime`). */
export function processorMs(pid: number): number {
  const living = childProcesses(pid).reduce((sum, child) => sum + (processUsage(child)?.ranMs ?? 0), 0)
  return (processUsage(pid)?.ranMs ?? 0) + living + endedMs(pid)
}

export function childProcesses(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  })
}

function endedMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK
}
