/** Processor time of this process so far, its own and the kernel's; on a busy machine it shows more than the clock. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
