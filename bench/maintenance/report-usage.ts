import { appendFileSync } from 'node:fs'

/* Loaded before a command and its child processes: each writes at its end what it used, to the file in `SLUICE_BENCH_USAGE`. */

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const used = { cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMb: maxRSS / 1024 }
  appendFileSync(process.env['SLUICE_BENCH_USAGE'] ?? '', `${JSON.stringify(used)}\n`)
})
