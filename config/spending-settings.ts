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
    doc: 'send a request lost in a kill again, or hold the document',
  }),
  maxCredits: optionalNumber({
    min: 0,
    max: 1e12,
    unit: 'credits',
    doc: 'stop before this run costs more',
    common: true,
  }),
  monthlyCredits: optionalNumber({
    min: 0,
    max: 1e12,
    unit: 'credits',
    scope: 'process',
    doc: 'stop at so much a month (UTC)',
    common: true,
  }),
  reportedCredit: optionalNumber({
    min: 0,
    max: 1e6,
    unit: 'credits',
    doc: 'charge for a credit that the service reports',
    standard: '1; 0 for what costs nothing by prices',
  }),
  prices: structure({
    schema: PRICES.default({ ...DEFAULT_PRICES }),
    doc: 'price model of the service in credits, as JSON',
  }),
}
