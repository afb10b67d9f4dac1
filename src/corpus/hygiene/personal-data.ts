/** Kinds of personal data with a checkable form. Names and addresses are not among them. */
export type PersonalData = 'email' | 'phone' | 'iban' | 'card' | 'ip'

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,24}/u
const PHONE =
  /(?<![\p{L}\p{N}])(?:\+|00)[1-9]\d{0,2}[ ()./-]{0,3}\d(?:[ ()./-]{0,3}\d){6,12}(?!\d)|(?:tel|phone|fon|mobile?)\.?:?\s*[+(]?\d(?:[ ()./-]{0,3}\d){6,13}/iu
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g
const CARD = /(?<![\d.])\d(?:[ -]?\d){12,18}(?!\d|\.\d)/g
const IP = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d)/

/** Returns the kinds of personal data in a text. IBANs and card numbers count only with valid check digits. */
export function personalDataIn(text: string): readonly PersonalData[] {
  const found: PersonalData[] = []
  if (text.includes('@') && EMAIL.test(text)) found.push('email')
  if (PHONE.test(text)) found.push('phone')
  if ((text.match(IBAN) ?? []).some(isIban)) found.push('iban')
  if ((text.match(CARD) ?? []).some(isCard)) found.push('card')
  if (IP.test(text)) found.push('ip')
  return found
}

/** ISO 13616: the number modulo 97 is 1. */
function isIban(written: string): boolean {
  const text = written.replaceAll(' ', '')
  if (text.length < 15 || text.length > 34) return false
  let rest = 0
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** ISO 7812: 13 to 19 digits with a known card prefix and the check digit of Luhn. */
function isCard(written: string): boolean {
  const digits = written.replaceAll(/\D/g, '')
  if (!/^[2-6]/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}
