import { expect, test } from 'vitest'
import type { LawState } from '#src/gate/law-state.ts'
import { draw } from '../../bench/gate/random/draw.ts'
import { controlLaw } from '../../bench/gate/random/law-policy.ts'
import { runDrawn } from '../../bench/gate/random/run-drawn.ts'
import { seedFrom } from '../support/seed.ts'

/*
 * What holds of the law's state at every answer, on services drawn at random. LAW_SEED=N and LAW_DRAWS=N draw others.
 */

const SEED = seedFrom('LAW_SEED', 31)
const DRAWS = Number(process.env['LAW_DRAWS'] ?? 10)

/** Names of the invariants that the state breaks. */
function broken(s: LawState): string[] {
  const holds = {
    'each request is answered once': s.done + s.refusals <= s.seq,
    'no more are accepted or in flight than were sent': s.accepted <= s.seq && s.accepted >= 0,
    'one request at least may be in flight': s.places >= 1 || s.restrained !== undefined,
    'a rate is positive and finite': s.rate === undefined || (s.rate > 0 && Number.isFinite(s.rate)),
    'a pace known has a window': s.rate === undefined || (s.window ?? 0) > 0,
    'the noise lies in its bounds': s.noise >= 0.002 && s.noise <= 0.1,
    'votes are 0 to 4': Math.min(s.votes_rate, s.votes_places) >= 0 && Math.max(s.votes_rate, s.votes_places) <= 4,
    'a trial raises the pace by no more than twofold': s.trial >= 0 && s.trial <= 1,
    'a cohort loses no more than it has': s.cohort_lost <= s.cohort_size && s.cohort_done <= s.cohort_size,
    'counts of sendings are not negative': Object.values(s.ring).every((count) => count >= 0),
    'no number is NaN': Object.values(s).every((value) => !Number.isNaN(value)),
  }
  return Object.entries(holds).flatMap(([name, held]) => (held ? [] : [name]))
}

test('the state of the control law keeps its invariants at every answer of drawn services', () => {
  for (let index = 0; index < DRAWS; index += 1) {
    const drawn = draw(SEED * 100_000 + index)
    const found = new Set<string>()
    const policy = controlLaw((state) => {
      for (const name of broken(state)) found.add(name)
    })
    const { sent } = runDrawn(drawn, policy)
    expect([...found], `seed ${SEED}, draw ${index}, ${sent} requests`).toEqual([])
  }
})
