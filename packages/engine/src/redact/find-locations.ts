import { asSpans, matchesOf } from './find-matches.ts'
import type { Match } from './find-matches.ts'
import type { PiiSpan } from './pii-span.ts'

/*
 * Addresses of homes and workplaces: street and number, and the town after it. A country or a town alone identifies no
 * person and remains. Covers English, German, French, Spanish, Italian and Dutch addresses.
 */

const WORD = String.raw`\p{Lu}[\p{L}'’.-]*`
const UK_POSTCODE = String.raw`[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}`
/** Gap between the parts of an address: spaces or a line break, but never an empty line, which ends a paragraph. */
const GAP = String.raw`,?(?:[ \t]*\n[ \t]*|[ \t\u00a0]+)`
const ENGLISH_TOWN = String.raw`(?:,[ \t]*\n?[ \t]*${WORD}(?: (?!${UK_POSTCODE})${WORD}){0,3})?(?:${GAP}(?:${UK_POSTCODE}\b|[A-Z]{2}\b(?:${GAP}\d{5}(?:-\d{4})?\b)?|\d{5}(?:-\d{4})?\b))?`
const EUROPEAN_TOWN = String.raw`(?:${GAP}(?:[A-Z]{1,2}-)?\d{4,5}(?: [A-Z]{2})? ${WORD}(?:[ -]${WORD}){0,2})?`

const ENGLISH_STREET = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,/-]|\b(?:[Ii]n|[Ss]ince|[Ss]ection|[Cc]hapter|[Pp]age|[Tt]able|[Ff]igure) )\d{1,5}[A-Za-z]? (?:[NSEW]\.? )?(?:(?:${WORD}|\d{1,3}(?:st|nd|rd|th)) +){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Parkway|Pkwy|Highway|Hwy|Crescent|Close|Gardens|Mews|Way|Quay)\b\.?(?: [NSEW]{1,2}\b)?(?!\s\p{Lu}\p{Ll})(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Floor|Flat|#)\.? ?[\p{L}\d-]+)?${ENGLISH_TOWN}`,
  'gdu',
)
const STREET_KIND = 'straße|strasse|str\\.|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|plein'
const GERMAN_STREET = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${WORD}[ -]){0,2}(?:\p{Lu}[\p{L}-]*\p{L}(?:${STREET_KIND})|(?:\p{Lu}\p{L}+er |\p{Lu}\p{L}+-)(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer)) \d{1,4} ?[a-z]?(?![\p{L}\p{N}])${EUROPEAN_TOWN}`,
  'gdu',
)
const ROMANCE_STREET = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:\d{1,4}(?:\s?(?:bis|ter))?,?\s+(?:rue|avenue|boulevard|place|chemin|allée|quai|impasse)\s+(?:[\p{Ll}'’]{1,4}\s?){0,3}${WORD}(?:[ -](?:[\p{Ll}'’]{1,3}[ -]?){0,2}${WORD}){0,3}|(?:Calle|Avenida|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua)\s+(?:[\p{Ll}'’]{1,5}\s?){0,3}${WORD}(?:\s+(?:[\p{Ll}]{1,3}\s)?${WORD}){0,3},?\s+(?:n[.º°]\s?)?\d{1,4})(?![\p{L}\p{N}])${EUROPEAN_TOWN}`,
  'gdu',
)
const POST_BOX =
  /(?<![\p{L}\p{N}])(?:P\.?\s?O\.?\s?Box|Postfach|Boîte postale|Apartado(?: de correos)?)\s+\d[\d ]{1,7}\d(?!\d)/dgu
const UK_CODE = new RegExp(String.raw`(?<![\p{L}\p{N}])${UK_POSTCODE}(?![\p{L}\p{N}])`, 'gdu')
const COORDINATES =
  /(?<![\p{L}\p{N}.])(?:-?\d{1,2}\.\d{4,}\s*°?\s*[NS]?,\s*-?\d{1,3}\.\d{4,}\s*°?\s*[EW]?|\d{1,2}°\s?\d{1,2}['′](?:\s?[\d.]+["″])?\s?[NS],?\s+\d{1,3}°\s?\d{1,2}['′](?:\s?[\d.]+["″])?\s?[EW])(?![\p{L}\p{N}])/dgu

/** Finds postal addresses, post boxes, British postcodes and coordinates. */
export function findLocations(text: string): PiiSpan[] {
  const patterns = [ENGLISH_STREET, GERMAN_STREET, ROMANCE_STREET, POST_BOX, UK_CODE, COORDINATES]
  const found = patterns.flatMap((pattern) => matchesOf(text, pattern))
  return asSpans(found.map(withoutStop), 'LOCATION')
}

/** Excludes a sentence's stop from the town. The stop of `St.` or `Ave.` may go with it. */
function withoutStop(match: Match): Match {
  return /[.,]$/.test(match.text) ? { ...match, end: match.end - 1 } : match
}
