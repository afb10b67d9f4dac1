import { spawnSync } from 'node:child_process'
import { GRADE_MODEL } from '../../packages/engine/src/grade/grade-model.ts'
import { QUALITY_MODEL } from '../../packages/engine/src/grade/quality-model.ts'
import { ENGINE_VERSION } from '@sluice/engine'
import { PREDICT_MODEL } from '../../src/route/predict-page.ts'

const RETRAIN = 'node scripts/models/read-pages.ts, then node scripts/models/train.ts --write'

/**
 * Reasons of the models of the expected quality against a release. They were trained on another version of the engine,
 * or, with `readsPages`, the engine's current results differ from their expectations.
 */
export function modelBlockers(root: string, readsPages: boolean): string[] {
  const models = { grades: GRADE_MODEL, 'expected qualities': QUALITY_MODEL, 'page prediction': PREDICT_MODEL }
  const stale = Object.entries(models).flatMap(([model, { engine }]) => (engine === ENGINE_VERSION ? [] : [model]))
  if (stale.length > 0)
    return [
      `the models of ${stale.join(', ')} were trained on another engine than version ${ENGINE_VERSION}: run ${RETRAIN}`,
    ]
  if (!readsPages) {
    console.log('models: not checked: --no-models')
    return []
  }
  const { status, stdout, stderr, error } = spawnSync('sh', ['scripts/run-node.sh', 'scripts/models/check.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (error !== undefined) throw new Error('scripts/models/check.ts could not be started', { cause: error })
  const line = stdout.trim()
  if (line === '') throw new Error(`scripts/models/check.ts failed: ${stderr.trim()}`)
  console.log(`models: ${line}`)
  return status === 0 ? [] : [`${line}: run ${RETRAIN}`]
}
