import { describe, expect, test } from 'vitest'
import { createEngine } from '../../src/server/create-engine.ts'
import { shared } from '../../../../test/support/shared.ts'
import { openSite } from '../../../../test/support/web-site.ts'
import { MODEL_ANSWERS, type Statement, STATEMENTS } from './vendor-statements.ts'
import { VendorTarget } from './vendor-target.ts'

/*
 * What the tests of the hosted service state about parse, written anew. A statement that this engine does not keep, by
 * design, carries the reason; it is run as well, so that the list of reasons stays true.
 */

const model = await shared(
  openSite((_path, body) => ({ body: JSON.stringify({ choices: [{ message: MODEL_ANSWERS(body) }] }) })),
)
const engine = await shared(
  createEngine({
    children: 2,
    keys: { 'fc-vendor': {} },
    model: { url: `${model.url}/v1`, name: 'scripted', key: '' },
  }),
)
const target = new VendorTarget(engine.url, 'fc-vendor')

const kept = STATEMENTS.filter(({ notKept }) => notKept === undefined)
const notKept = STATEMENTS.filter((statement) => statement.notKept !== undefined)
const titled = (statements: readonly Statement[]) => statements.map((each) => [each.name, each] as const)

describe('the hosted service’s tests of parse state that', () => {
  test.each(titled(kept))('%s', async (_name, { holds }) => expect(await holds(target)).toBe(true), 30_000)
})

describe('the engine does not keep the statement that', () => {
  test.each(titled(notKept))('%s', async (_name, { holds }) => expect(await holds(target)).toBe(false), 30_000)
})

test('the engine keeps at least 55 of 60 statements in the tests of the hosted service', () => {
  console.log(`${kept.length} of ${STATEMENTS.length} statements are kept; not kept:`)
  for (const { name, notKept: reason } of notKept) console.log(`- ${name}: ${reason}`)
  expect(STATEMENTS.length).toBeGreaterThanOrEqual(60)
  expect(kept.length / STATEMENTS.length).toBeGreaterThanOrEqual(55 / 60)
})
