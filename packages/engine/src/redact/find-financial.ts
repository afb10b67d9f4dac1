import valid from 'card-validator'
import { countrySpecs, isValidBIC, isValidIBAN } from 'ibantools'
import { asSpans, matchesOf, urlsIn } from './find-matches.ts'
import type { Match } from './find-matches.ts'
import { overlapsAny } from './pii-span.ts'
import type { PiiSpan } from './pii-span.ts'

/** Card number without gaps, or in the groups of printed cards: 4-4-4-4 and 4-6-5. */
const CARD =
  /(?<![\p{L}\p{N}.,+-])(?:\d{13,19}|\d{4}(?<mark>[ -])\d{4}\k<mark>\d{4}\k<mark>\d{4}(?:\k<mark>\d{1,3})?|\d{4}(?<sign>[ -])\d{6}\k<sign>\d{4,5})(?![\p{L}\p{N}]|[.,-]\d)/dgu
/** Country, check digits and up to 30 characters. The country determines the length. */
const IBAN = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ \u00a0]?[A-Z\d]){11,30}/dgu
const BIC =
  /(?<![\p{L}\p{N}])(?:BIC|SWIFT)(?:[-/ ](?:BIC|SWIFT|code))*[\s*_|]*[:=]?[\s*_|]*(?<value>[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?)(?![\p{L}\p{N}])/dgu
/** United States social security number, in the only form that is distinct from any nine digits. */
const SOCIAL_SECURITY =
  /(?<![\p{L}\p{N}./-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\p{L}\p{N}]|[-./]\d)/dgu
const LABELLED =
  /(?<![\p{L}\p{N}])(?:account|acct|routing|aba|sort code|tax id|taxpayer id|ein|ssn|social security|card|credit card|cvv|cvc|kontonummer|konto-?nr|kto|steuer-?id|steuernummer|blz|bankleitzahl|numéro de compte|número de cuenta)(?:\s?(?:no|nr|number|nummer|#)\b)?\.?[\s*_|]*[:#=][\s*_|]*(?<value>\d(?:[ /-]?\d){2,18})(?![\p{L}\p{N}])/dgiu
const WALLET = /(?<![\p{L}\p{N}])(?:bc1[02-9ac-hj-np-z]{25,59}|0x[\da-fA-F]{40})(?![\p{L}\p{N}])/dgu

/** Finds cards and IBANs with correct check digits, BICs and account numbers after a label, SSNs, wallets. */
export function findFinancial(text: string): PiiSpan[] {
  const urls = urlsIn(text)
  const found = [
    ...matchesOf(text, CARD).filter(isCard),
    ...matchesOf(text, IBAN).flatMap(ibanIn),
    ...matchesOf(text, BIC).filter((match) => isValidBIC(match.text)),
    ...matchesOf(text, SOCIAL_SECURITY),
    ...matchesOf(text, LABELLED),
    ...matchesOf(text, WALLET),
  ]
  return asSpans(
    found.filter((match) => !overlapsAny(match, urls)),
    'FINANCIAL',
  )
}

function isCard(match: Match): boolean {
  const digits = match.text.replace(/\D/g, '')
  return new Set(digits).size > 1 && valid.number(digits).isValid
}

/** Returns the prefix of a match that is an IBAN of its country's length. */
function ibanIn(match: Match): Match[] {
  const length = countrySpecs[match.text.slice(0, 2)]?.chars ?? 0
  let end = 0
  for (let characters = 0; end < match.text.length && characters < length; end += 1)
    if (!/\s/.test(match.text.charAt(end))) characters += 1
  const text = match.text.slice(0, end)
  return length > 0 && isValidIBAN(text.replace(/\s/g, '')) ? [{ ...match, end: match.start + end, text }] : []
}
