import { readdirSync, readFileSync } from 'node:fs'
import { processUsage } from '../../src/engine/children/process-usage.ts'

const MS_PER_TICK = 10

/** Processor time in ms of this process and of all that it started, also of those that have ended (proc(5), `cutime`). */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  const living = childProcesses().reduce((sum, pid) => sum + (processUsage(pid)?.ranMs ?? 0), 0)
  return (user + system) / 1000 + living + endedMs()
}

function childProcesses(): readonly number[] {
  return readdirSync('/proc/self/task').flatMap((thread) => {
    const children = readFileSync(`/proc/self/task/${thread}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  })
}

function endedMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK
}
