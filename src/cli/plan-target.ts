import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { locationOf } from '#workers/location.ts'
import type { Shared } from '#workers/shared.ts'
import type { Target } from './targets.ts'

/** What a plan is made with; disposing removes what was made for it alone. */
export interface PlanTarget extends AsyncDisposable {
  readonly target: Target
  /** Not given where the plan has a Redis of its own. */
  readonly shared?: Shared
}

/**
 * A plan leaves nothing behind. Where `--out` names a folder that does not exist or is empty, there is nothing to read:
 * the plan is made with a store in the temporary directory, which has its own Redis unless REDIS_URL names one.
 */
export async function openPlanTarget(target: Target, shared: Shared): Promise<PlanTarget> {
  const at = locationOf(target.settings.out)
  if (at.kind !== 'folder' || !(await isUnmade(at.path))) {
    return { target, shared, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = await mkdtemp(join(tmpdir(), 'sluice-plan-'))
  const settings = { ...target.settings, stateDir: undefined, out: join(folder, 'out') }
  return {
    target: { ...target, settings },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const isUnmade = (path: string): Promise<boolean> =>
  readdir(path).then(
    (names) => names.length === 0,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
