import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { asSpans, matchesOf, urlsIn } from './find-matches.ts'
import type { Match } from './find-matches.ts'
import { overlapsAny } from './pii-span.ts'
import type { PiiSpan } from './pii-span.ts'

/** `+` or `00` and a country code, with the usual separators between groups. */
const INTERNATIONAL =
  /(?<![\p{L}\p{N}+.,-])(?:\+|00)[1-9](?:[\s\u00a0]?[-./()]?[\s\u00a0]?\d|\)\s?\d){6,14}(?![\p{L}\p{N}])/dgu
/**
 * North America: (212) 555-0123, 212-555-0123, 212.555.0123. Excludes bare spaces, because tables contain many such
 * numbers.
 */
const NORTH_AMERICAN =
  /(?<![\p{L}\p{N}./+-])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}(?<mark>[-.]))\d{3}[-.]\d{4}(?![\p{L}\p{N}]|[-.]\d)/dgu
/** Any number after a label. */
const LABELLED =
  /(?<![\p{L}\p{N}])(?:tel|tél|telephone|phone|mobile|mob|cell|fax|hotline|whatsapp|telefon|telefax|handy|mobil|durchwahl|téléphone|portable|teléfono|telefono|móvil|celular|cellulare|telefone|電話|电话|тел)(?:\s?(?:no|nr|number|nummer|n°)\b)?\.?[\s*_|]*[:：.=]?[\s*_|]*(?<value>[+(]?\d(?:[\s\u00a0]?[-./()–]?[\s\u00a0]?\d){4,14})(?![\p{L}\p{N}])/dgiu

/**
 * Finds telephone numbers: international ones by the country's numbering plan, North American ones by form, others by
 * label.
 */
export function findPhones(text: string): PiiSpan[] {
  const urls = urlsIn(text)
  const found = [
    ...matchesOf(text, INTERNATIONAL).filter(isDialable),
    ...matchesOf(text, NORTH_AMERICAN),
    ...matchesOf(text, LABELLED).filter((match) => !isDate(match.text)),
  ]
  return asSpans(
    found.filter((match) => !overlapsAny(match, urls)),
    'PHONE',
  )
}

/** Accepts numbers reserved for examples (555-01xx). They have no subscriber, but represent a telephone in a text. */
function isDialable(match: Match): boolean {
  const number = parsePhoneNumberFromString(match.text.replace(/^00/, '+'))
  if (number === undefined) return false
  return number.isValid() || (match.text.startsWith('+') && number.isPossible() && number.nationalNumber.length >= 9)
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(text)
}
