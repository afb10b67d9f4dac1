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
    service: z.string('the name of a service is needed').min(1).optional(),
  })

/** Settings of the parse request. */
export const PARSE_SETTINGS = {
  mode: choice({
    values: PDF_MODES,
    default: 'auto',
    doc: 'PDFs: fast reads no scans, auto uses OCR on scans, ocr on all pages',
    common: true,
  }),
  formats: choices({
    values: FORMAT_TYPES,
    doc: 'outputs',
    standard: 'markdown',
    common: true,
  }),
  pages: flag({ default: true, doc: 'request the Markdown of each page of a PDF' }),
  blocks: flag({ default: true, doc: 'request the layout blocks of a PDF' }),
  options: structure({
    schema: options.default({}),
    published: parseOptionsSchema,
    doc: 'other options of a parse request, as JSON',
    common: true,
  }),
  rules: structure({
    schema: z.array(rule(options)).default([]),
    published: z.array(rule(parseOptionsSchema)),
    doc: 'parse options per glob, first match wins, as JSON',
    common: true,
  }),
  acceptLocal: flag({ doc: 'keep documents that the embedded engine parsed before a service was set' }),
  upgrade: flag({ doc: 'parse documents again whose outputs a newer embedded engine changes' }),
  minGrade: optionalNumber({ min: 0, max: 1, doc: 'mark a document partial if a page has a lower grade, 0 to 1' }),
  ocrFallback: flag({ doc: 'parse a scan again in mode auto if mode fast cannot read it' }),
}
