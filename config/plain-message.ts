/** What a schema library says of a value, as a person would say it. */
const PLAIN: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^Invalid input: expected int\b.*$/, () => 'a whole number is needed'],
  [/^Invalid input: expected number\b.*$/, () => 'a number is needed'],
  [/^Invalid input: expected boolean\b.*$/, () => 'true or false is needed'],
  [/^Invalid input: expected string\b.*$/, () => 'a text is needed'],
  [/^Invalid input: expected (?:object|record)\b.*$/, () => 'a map of names to values is needed'],
  [/^Invalid input: expected array\b.*$/, () => 'a list is needed'],
  [/^Too small: expected number to be >=(\S+)$/, (least = '') => `it must be ${least} or more`],
  [/^Too small: expected number to be >(\S+)$/, (least = '') => `it must be more than ${least}`],
  [/^Too big: expected number to be <=(\S+)$/, (most = '') => `it must be ${most} or less`],
  [/^Too small: expected string .*$/, () => 'it is empty'],
  [
    /^Invalid option: expected one of (.+)$/,
    (values = '') => `it must be one of ${values.replaceAll('"', '').split('|').join(', ')}`,
  ],
]

/** The message of a schema in plain words; one that is written for people already stays as it is. */
export function plainMessage(message: string): string {
  for (const [pattern, say] of PLAIN) {
    const found = pattern.exec(message)
    if (found !== null) return say(...found.slice(1))
  }
  return message
}
