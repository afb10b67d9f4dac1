import { afterAll, beforeAll, expect, test } from 'vitest'
import { LAW_SOURCE, loadLaw } from '../../../bench/limiter/law-policy.ts'
import { seededRandom } from '../../../src/route/audit/seeded-random.ts'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { seedFrom } from '../../../test/support/seed.ts'

const FIRST_SEED = seedFrom('TRANSLATION_SEED', 1)

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

/** Runs a list of calls, the state kept as the gate's scripts keep it, and answers what each returned. */
const RUN = `${LAW_SOURCE}
local calls = cjson.decode(ARGV[1])
local s = fresh_law(1000)
local permits, answers = {}, {}
for i, call in ipairs(calls) do
  s = cmsgpack.unpack(cmsgpack.pack(s))
  if call.name == 'wait' then
    local found = law_wait(s, call.now, call.inFlight)
    answers[i] = (found.reason or 'none') .. ' ' .. (found.ms and string.format('%.6f', found.ms) or 'none')
  elseif call.name == 'sent' then
    permits[#permits + 1] = law_sent(s, call.now, call.inFlight)
    answers[i] = string.format('%.6f', s.due)
  else
    local permit = permits[call.permit]
    if call.name == 'accepted' then
      law_accepted(s, permit, call.feedback, call.now, call.inFlight)
    elseif call.name == 'refused' then
      law_refused(s, permit, call.feedback, call.now, call.inFlight)
    elseif call.name == 'overloaded' then
      law_overloaded(s, permit, call.now, call.inFlight)
    else
      law_down(s, permit, call.feedback, call.now, 3)
    end
    answers[i] = string.format('%s %.6f %.6f', s.phase, s.places, s.rate or -1)
  end
end
return answers`

interface Call {
  readonly name: string
  readonly now: number
  readonly inFlight: number
  readonly permit?: number
  readonly feedback?: object
}

/** Sends and answers at random, with every kind of answer. */
function randomCalls(seed: number, count: number): Call[] {
  const random = seededRandom(seed)
  const calls: Call[] = []
  const open: number[] = []
  let now = 1_000
  let sent = 0
  const limits = [{}, { limit: 'rate' }, { limit: 'concurrency' }]
  while (calls.length < count) {
    now += Math.floor(random() * 400) / 4
    if (random() < 0.5) {
      calls.push({ name: 'wait', now, inFlight: open.length })
      open.push((sent += 1))
      calls.push({ name: 'sent', now, inFlight: open.length })
    } else if (open.length > 0) {
      const [permit] = open.splice(Math.floor(random() * open.length), 1)
      const reported = random() < 0.5 ? {} : { retryAfterMs: Math.floor(random() * 8) * 500 + 500 }
      const dice = random()
      const [name, feedback]: [string, object] =
        dice < 0.6
          ? ['accepted', { queuedMs: dice < 0.1 ? 300 : 0 }]
          : dice < 0.9
            ? ['refused', { ...limits[Math.floor(random() * 3)], ...reported }]
            : [dice < 0.93 ? 'overloaded' : 'down', reported]
      calls.push({ name, now, inFlight: open.length, permit: permit ?? 1, feedback })
    }
  }
  return calls
}

function translated(calls: readonly Call[]): string[] {
  const law = loadLaw()
  const state = law.fresh_law(1_000)
  const permits: ReturnType<typeof law.law_sent>[] = []
  const fixed = (value: unknown): string => (typeof value === 'number' ? value.toFixed(6) : 'none')
  return calls.map(({ name, now, inFlight, permit: number = 0, feedback = {} }) => {
    if (name === 'wait') {
      const found = law.law_wait(state, now, inFlight)
      return `${found.reason ?? 'none'} ${fixed(found.ms)}`
    }
    if (name === 'sent') {
      permits.push(law.law_sent(state, now, inFlight))
      return fixed(state.due)
    }
    const permit = permits[number - 1]
    if (permit === undefined) throw new Error('no such permit')
    if (name === 'accepted') law.law_accepted(state, permit, feedback, now, inFlight)
    else if (name === 'refused') law.law_refused(state, permit, feedback, now, inFlight)
    else if (name === 'overloaded') law.law_overloaded(state, permit, now, inFlight)
    else law.law_down(state, permit, feedback, now, 3)
    return `${state.phase} ${fixed(state.places)} ${fixed(state.rate ?? -1)}`
  })
}

test.each([0, 1, 2, 3, 4, 5].map((index) => FIRST_SEED + index))(
  'the translated law and the law in Redis agree, seed %i',
  async (seed) => {
    const calls = randomCalls(seed, 600)
    const inRedis = await server.connection.eval(RUN, 0, JSON.stringify(calls))
    expect(translated(calls)).toEqual(inRedis)
  },
)
