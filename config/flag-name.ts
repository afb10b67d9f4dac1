/** `maxCredits` → `max-credits`; a duration omits its unit: `deadlineMs` → `deadline`. */
export const flagOf = (name: string): string => longFlagOf(name.replace(/Ms$/, ''))

/** `deadlineMs` → `deadline-ms`: former name of a duration's flag, when it took milliseconds alone. */
export const longFlagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
