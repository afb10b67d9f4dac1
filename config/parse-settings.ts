import { z } from 'zod'
import {
  type OptionIssue,
  optionIssues,
  FORMAT_TYPES,
  type ParseOptionsInput,
  parseOptionsSchema,
  PDF_MODES,
} from '@sluice/contract'
import { ROUTES } from '#src/document/route.ts'
import { choice, choices, flag, optionalNumber, structure } from './setting.ts'

/**
 * Validates parse options without filling in defaults. A default of a rule would otherwise override the value for all
 * documents.
 */
const options = z.custom<ParseOptionsInput>().check(({ value, issues }) => {
  issues.push(...optionIssues(value).map((issue) => zodIssueOf(issue, value)))
})

function zodIssueOf({ path, message, unknownKey }: OptionIssue, input: unknown): z.core.$ZodRawIssue {
  return { code: 'custom', path: [...path], message, params: { unknownKey: unknownKey === true }, input }
}

const glob = z.string().min(1)
const rule = <T extends z.ZodType>(ruleOptions: T) =>
  z.strictObject({
    match: z.union([glob, z.array(glob).min(1)]),
    options: ruleOptions.optional(),
    upgrade: z.boolean().optional(),
    route: z.enum(ROUTES).optional(),
    service: z.string('the name of one service is needed').min(1).optional(),
  })

/** Settings of the parse request. */
export const PARSE_SETTINGS = {
  mode: choice({ values: PDF_MODES, default: 'auto', doc: 'how PDFs are read', common: true }),
  formats: choices({ values: FORMAT_TYPES, doc: 'outputs to ask for', common: true }),
  pages: flag({ default: true, doc: 'ask for the Markdown of each page of a PDF' }),
  blocks: flag({ default: true, doc: 'ask for the layout blocks of a PDF' }),
  options: structure({
    schema: options.default({}),
    published: parseOptionsSchema,
    doc: 'further parse options of the contract, as JSON',
    common: true,
  }),
  rules: structure({
    schema: z.array(rule(options)).default([]),
    published: z.array(rule(parseOptionsSchema)),
    doc: 'parse options per glob, first match wins, as JSON',
    common: true,
  }),
  acceptLocal: flag({ doc: 'with a service: keep what the embedded engine parsed' }),
  upgrade: flag({ doc: 'parse again what an older embedded engine read otherwise' }),
  minGrade: optionalNumber({ min: 0, max: 1, doc: 'lowest grade of a page, 0 to 1; below it: partial' }),
  ocrFallback: flag({ doc: 'read a scan in mode "auto" where "fast" cannot' }),
}
