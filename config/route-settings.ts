import { z } from 'zod'
import { ROUTES } from '#src/document/route.ts'
import { choice, globs, optionalNumber } from './setting.ts'

const NOT_IN_SOURCE = 'a glob matches paths within the source: leave out a leading "/" or "~", and ".."'

/** Refuses a glob that cannot match any key: it would protect nothing. */
const keyGlob = z
  .string()
  .min(1)
  .refine((glob) => !/^[/~]|(^|\/)\.\.(\/|$)/.test(glob), NOT_IN_SOURCE)
  .refine(isBalanced, 'a bracket or brace is not closed')

/** Settings that route documents and pages to the service. */
export const ROUTE_SETTINGS = {
  route: choice({
    values: ROUTES,
    default: 'service',
    doc: 'parse at the service, locally, or send only poor pages',
    common: true,
  }),
  neverSend: globs({ doc: 'documents that never leave this machine', common: true }, keyGlob),
  qualityFloor: optionalNumber({
    min: 0,
    max: 1,
    doc: 'local-first: buy pages with a lower predicted quality, 0 to 1',
    standard: '0.9',
  }),
  buyShare: optionalNumber({ min: 0, max: 1, doc: 'local-first: maximum share of pages to buy, 0 to 1' }),
  buyPages: optionalNumber({ min: 0, max: 10_000, doc: 'local-first: maximum pages to buy per document' }),
} as const

function isBalanced(glob: string): boolean {
  const plain = glob.replaceAll(/\\./g, '')
  const count = (letter: string): number => plain.split(letter).length
  return count('{') === count('}') && count('[') === count(']') && count('(') === count(')')
}
