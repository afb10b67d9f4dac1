// Checks that the committed models of the expected quality still hold for the current engine: `node
// scripts/models/check.ts`. Reads a fixed draw of pages outside the training set, about twenty seconds. Exits with 1 if
// a threshold of drift.ts is exceeded. Only this check detects changes of OCR that keep the engine's version.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../test/support/random.ts'
import { readDraw } from '../../test/support/mixed-pages/read-draw.ts'
import { driftOf } from './drift.ts'
import { byModel } from './held-out.ts'

/**
 * Seeds from 79000000 on (scanned pages, severity up to 8): the first twelve with a bad result and the first twelve
 * with a good one. Pages had ten kinds of damage then. With fifteen kinds engine 2 read eleven badly.
 */
const SEEDS = [20, 23, 58, 59, 63, 77, 79, 92, 101, 116, 120, 128, 1, 3, 4, 6, 7, 8, 9, 11, 13, 14, 15, 18].map(
  (at) => 79_000_000 + at,
)
const MAX_SEVERE = 8

const folder = await mkdtemp(join(tmpdir(), 'route-check-'))
try {
  const draws = []
  for (const seed of SEEDS) draws.push(await readDraw(seed, folder, 1 + new Random(seed).next() * (MAX_SEVERE - 1)))
  const drift = driftOf(byModel(draws).map(({ expectedQuality, draw }) => ({ expected: expectedQuality, f1: draw.f1 })))
  const figures = `AUC ${drift.auc.toFixed(3)}, bias ${drift.bias.toFixed(3)}, mean error ${drift.meanError.toFixed(3)}`
  const verdict =
    drift.left.length === 0
      ? 'the models are within their bounds'
      : `the models exceed their bounds: ${drift.left.join(', ')}`
  console.log(`${draws.length} pages: ${figures}; ${verdict}`)
  if (drift.left.length > 0) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}
