import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from '#src/cli/print/exit-codes.ts'
import { engineOf, isAlive } from '../../support/process-tree.ts'
import type { RunningSluice } from '../../support/sluice.ts'
import { appears, expectEnd } from './process-waits.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'
import { type OnItsOwn, onItsOwn } from './on-its-own.ts'

const APPEARS_MS = 120_000

/** SIGKILL to the embedded engine, some times, as the kernel does it when memory is short. */
export const engineKilled: FaultClass = {
  async inject(context) {
    await onItsOwn(context, async (own) => {
      const running = own.start()
      const kills = 1 + context.random.below(3)
      let last = 0
      for (let count = 0; count < kills; count++) {
        const engine = await appears(running, APPEARS_MS, async () => {
          const pid = await engineOf(running.child.pid ?? 0)
          return pid === last ? null : pid
        })
        if (engine === null) break
        await sleep(context.random.below(800))
        context.note(`kill the engine ${engine}`)
        kill(engine)
        last = engine
      }
      const stopped = await perhapsStopped(context, running)
      const codes = stopped ? [EXIT.interrupted, EXIT.allDone] : [EXIT.allDone]
      const end = await expectEnd(context, running, {
        what: 'a run whose engine is killed',
        codes,
        wasStopped: stopped,
      })
      await untilDone(context, own, end?.code)
    })
  },
}

/** One package of the converters is not there. */
const HIDEABLE = ['@firecrawl/anydoc', '@llamaindex/liteparse', '@e965/xlsx', 'chardet', 'tinyld', 'linkedom']

/** A converter is missing: nothing is failed for it, and the run says which package. */
export const converterMissing: FaultClass = {
  async inject(context) {
    await onItsOwn(context, async (own) => {
      const name = context.random.pick(HIDEABLE)
      context.note(`a run without ${name}`)
      const running = own.start({ NODE_OPTIONS: withoutPackage(name) })
      const stopped = await perhapsStopped(context, running)
      await expectEnd(context, running, {
        what: `a run without ${name}`,
        codes: stopped ? [EXIT.interrupted, EXIT.usage] : [EXIT.usage],
        wasStopped: stopped,
        ifCode: EXIT.usage,
        says: /package gone-away is missing/,
      })
      await untilDone(context, own, null)
    })
  },
}

function withoutPackage(name: string): string {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) { return next(name === '${name}' ? 'gone-away' : name, context) } })`
  return `--disable-warning=ExperimentalWarning --import data:text/javascript,${encodeURIComponent(hook)}`
}

/** The fetch of redis-server hangs: only a stop ends it, at once, and what hangs with it. */
export const downloadHangs: FaultClass = {
  async inject(context) {
    await onItsOwn(context, async (own) => {
      const programs = join(own.folder, 'programs')
      await mkdir(programs)
      const pid = join(own.folder, 'pid')
      const aptGet = join(programs, 'apt-get')
      await writeFile(aptGet, `#!/bin/sh\necho $$ >${pid}\n/bin/sleep 600\n`)
      await chmod(aptGet, 0o755)
      const running = own.start({ PATH: programs }, [`--cache-dir=${join(own.folder, 'cache')}`])
      const hangs = await appears(
        running,
        APPEARS_MS,
        async () => (await readFile(pid, 'utf8').catch(() => '')).trim() || null,
      )
      if (hangs === null) {
        context.breaches.unexplained.push(`no download began: ${running.stderr()}`)
        return
      }
      await sleep(context.random.below(2_000))
      await context.terminate(running, context.random.pick(['SIGINT', 'SIGTERM'] as const))
      const stillThere = Number(hangs) > 0 && isAlive(Number(hangs))
      if (stillThere) context.breaches.unexplained.push('apt-get goes on after its run has ended')
      await untilDone(context, own, null)
    })
  },
}

async function perhapsStopped(context: FaultContext, running: RunningSluice): Promise<boolean> {
  if (context.random.next() >= 0.3) return false
  await sleep(context.random.below(1_500))
  if (running.child.exitCode !== null) return false
  await context.terminate(running)
  return true
}

/** Whatever was interrupted, one run from its beginning to its end makes it good. */
async function untilDone(context: FaultContext, own: OnItsOwn, code: number | null | undefined): Promise<void> {
  if (code !== EXIT.allDone) {
    await expectEnd(context, own.start(), { what: 'the run after it', codes: [EXIT.allDone] })
  }
  await own.expectAllDone()
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended in this moment.
  }
}
