import { z } from 'zod'
import { ROUTES } from '#src/document/route.ts'
import { choice, flag, list, optionalNumber } from './setting.ts'

const NOT_IN_SOURCE = 'globs are about paths within the source: without a leading "/" or "~", and without ".."'

/** A glob that could match no key would protect nothing: it is refused. */
const keyGlob = z
  .string()
  .min(1)
  .refine((glob) => !/^[/~]|(^|\/)\.\.(\/|$)/.test(glob), NOT_IN_SOURCE)
  .refine(isBalanced, 'it has an open bracket or brace')

/** Which documents and pages go to the service. */
export const ROUTE_SETTINGS = {
  route: choice({
    env: 'SLUICE_ROUTE',
    values: ROUTES,
    default: 'service',
    doc: 'where documents are parsed: at the service, on this machine only, or on this machine first and at the service for the pages that came out badly',
  }),
  neverSend: {
    ...list({
      env: 'SLUICE_NEVER_SEND',
      placeholder: 'globs',
      doc: 'documents that match stay on this machine, whatever the route says; a folder or an archive covers what is in it',
    }),
    schema: z.array(keyGlob).default([]),
    fromText: globsFromText,
  },
  qualityFloor: optionalNumber({
    env: 'SLUICE_QUALITY_FLOOR',
    min: 0,
    max: 1,
    doc: 'route local-first: buy a page whose expected quality is lower (default: 0.9)',
  }),
  buyShare: optionalNumber({
    env: 'SLUICE_BUY_SHARE',
    min: 0,
    max: 1,
    doc: 'route local-first: buy no more than this share of all pages, 0 to 1',
  }),
  buyPages: optionalNumber({
    env: 'SLUICE_BUY_PAGES',
    min: 0,
    max: 10_000,
    unit: 'pages',
    doc: 'route local-first: buy no more than so many pages of one document',
  }),
  auditShare: optionalNumber({
    env: 'SLUICE_AUDIT_SHARE',
    min: 0,
    max: 1,
    doc: 'route local-first: buy this share of the pages that are kept, too, and report how far they differ (0.01; default: none)',
  }),
  splitLongPdfs: flag({
    env: 'SLUICE_SPLIT_LONG_PDFS',
    default: true,
    doc: 'cut PDFs by their pages that would take the service longer than its limit of 300 s',
  }),
} as const

/** Separated by commas, but for those in braces. */
function globsFromText(text: string): string[] {
  const globs = ['']
  let depth = 0
  for (const letter of text) {
    if (letter === '{') depth += 1
    if (letter === '}') depth -= 1
    if (letter === ',' && depth <= 0) globs.push('')
    else globs[globs.length - 1] += letter
  }
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== '')
}

function isBalanced(glob: string): boolean {
  const plain = glob.replaceAll(/\\./g, '')
  const count = (letter: string): number => plain.split(letter).length
  return count('{') === count('}') && count('[') === count(']') && count('(') === count(')')
}
