import { appendFileSync, readFileSync } from 'node:fs'

/* Loaded into a converter process before its entry point: ends it as native code would, for documents that say so. */

interface Task {
  readonly path: string
}

process.on('message', ({ path }: Task) => {
  const [what = '', log = ''] = readFileSync(path, 'utf8').split('\n')
  if (!/^(?:crash|spin)/.test(what)) return
  appendFileSync(log, `${process.pid}\n`)
  const attempts = readFileSync(log, 'utf8').trim().split('\n').length
  if (what === 'crash always' || (what === 'crash once' && attempts === 1)) process.kill(process.pid, 'SIGSEGV')
  if (what === 'spin') for (;;);
})
