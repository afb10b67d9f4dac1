import type { PageAgreement } from './agreement.ts'
import type { AuditFile, SampledAnswer } from './audit-file.ts'
import { buyingCurve, byPrediction, leastShare } from './buying-curve.ts'
import { type Certificate, certify } from './certify.ts'
import { type CreditRange, priceFromSample } from './price-share.ts'

/** Pages with similar grades of the engine. */
export interface Stratum {
  readonly name: string
  readonly pages: number
  /** Means; null if no page has the component. */
  readonly agreement: { readonly [Part in keyof PageAgreement]: number | null }
  readonly differing: number
}

/** A spending choice: the pages to buy, their price, and the agreement of the result with buying everything. */
export interface Choice {
  readonly name: string
  /** Null if no share of the pages reaches the target. */
  readonly share: number | null
  readonly credits: CreditRange | null
  /** Estimated mean agreement with the service over all pages. */
  readonly agreement: number
}

export interface CertifiedChoice extends Certificate {
  readonly risk: number
  readonly credits: CreditRange | null
}

export interface AuditSummary {
  /** Agreement of the service with itself: mean of the pages that were bought twice; null without such pages. */
  readonly self: number | null
  readonly twice: number
  /** Threshold of text agreement: below it two answers differ. */
  readonly differsBelow: number
  readonly strata: readonly Stratum[]
  readonly certificates: readonly CertifiedChoice[]
  readonly choices: readonly Choice[]
}

const DELTA = 0.05
const RISKS = [0.02, 0.05, 0.1]
/** Target qualities: mean agreement with the service. */
const QUALITIES = [0.95, 0.98, 0.99, 0.995]
/** Nine of ten words, as in the grade, relative to the service's agreement with itself. */
const DIFFERS_BELOW = 0.9

/** Computes all output of an audit from its file. Pure. */
export function summarise(file: AuditFile): AuditSummary {
  const { sample } = file
  const again = sample.flatMap(({ selfAgreement }) => (selfAgreement === null ? [] : [selfAgreement.text]))
  const self = meanOf(again)
  const differsBelow = DIFFERS_BELOW * Math.min(1, self ?? 1)
  const differs = ({ agreement }: SampledAnswer): boolean => agreement.text < differsBelow
  const audited = sample.map((page) => ({
    document: page.key,
    badProbability: page.badProbability,
    differs: differs(page),
  }))
  // A bought page agrees with the service by definition.
  const worth = sample.map((page) => ({ ...page, kept: page.agreement.text, bought: 1 }))
  const curve = buyingCurve(byPrediction(worth))
  const priced = (share: number | null): CreditRange | null =>
    share === null || sample.length === 0
      ? null
      : priceFromSample({ hard: Math.round(share * sample.length), sampled: sample.length }, file)
  const choice = (name: string, share: number | null, agreement: number): Choice => ({
    name,
    share,
    agreement,
    credits: priced(share),
  })
  return {
    self,
    twice: again.length,
    differsBelow,
    strata: STRATA.map(([name, from, to]) =>
      stratumOf(
        name,
        sample.filter((page) => isIn(page, from, to)),
        differs,
      ),
    ),
    certificates: RISKS.map((risk) => {
      const certificate = certify(audited, { risk, delta: DELTA })
      return {
        ...certificate,
        risk,
        credits: certificate.threshold === null ? null : priced(1 - certificate.keptShare),
      }
    }),
    choices: [
      choice('local', 0, curve[0]?.quality ?? 1),
      ...QUALITIES.map((quality) => choice(`local-first, agreement ${quality}`, leastShare(curve, quality), quality)),
      choice('service', 1, 1),
    ],
  }
}

const STRATA: readonly (readonly [name: string, from: number, to: number])[] = [
  ['grade .98 to 1', 0.98, 1.01],
  ['grade .9 to .98', 0.9, 0.98],
  ['grade .5 to .9', 0.5, 0.9],
  ['grade below .5', 0, 0.5],
  ['no grade', -1, 0],
]

const isIn = ({ grade }: SampledAnswer, from: number, to: number): boolean =>
  (grade ?? -1) >= from && (grade ?? -1) < to

function stratumOf(name: string, pages: readonly SampledAnswer[], differs: (page: SampledAnswer) => boolean): Stratum {
  const mean = (part: keyof PageAgreement): number | null => meanOf(pages.flatMap((page) => page.agreement[part] ?? []))
  const agreement = { text: mean('text'), order: mean('order'), headings: mean('headings'), numbers: mean('numbers') }
  return { name, pages: pages.length, agreement, differing: pages.filter(differs).length }
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
