import { z } from 'zod'
import { DEFAULT_PRICES } from '@sluice/contract'
import { choice, optionalNumber, structure } from './setting.ts'

const price = (credits: number) => z.number().min(0).default(credits)

/** The price model of a service. */
export const PRICES = z.strictObject({
  document: price(DEFAULT_PRICES.document),
  documentWithJson: price(DEFAULT_PRICES.documentWithJson),
  furtherPage: price(DEFAULT_PRICES.furtherPage),
  redaction: price(DEFAULT_PRICES.redaction),
  redactedFurtherPage: price(DEFAULT_PRICES.redactedFurtherPage),
  zeroDataRetention: price(DEFAULT_PRICES.zeroDataRetention),
})

/** Prices and limits of spending. */
export const SPENDING_SETTINGS = {
  onAmbiguous: choice({
    values: ['send', 'hold'],
    default: 'send',
    doc: 'request cut off by a kill: send it again, or hold the document',
  }),
  maxCredits: optionalNumber({
    min: 0,
    max: 1e12,
    unit: 'credits',
    doc: 'halt this run before it costs more',
    common: true,
  }),
  monthlyCredits: optionalNumber({
    min: 0,
    max: 1e12,
    unit: 'credits',
    scope: 'process',
    doc: 'halt at this spending per month (UTC)',
    common: true,
  }),
  reportedCredit: optionalNumber({
    min: 0,
    max: 1e6,
    unit: 'credits',
    doc: 'charge per credit that the service reports',
    standard: '1, or 0 if --prices is 0',
  }),
  prices: structure({
    schema: PRICES.default({ ...DEFAULT_PRICES }),
    doc: 'prices of the service in credits, as JSON',
  }),
}
