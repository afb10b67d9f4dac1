import { revealed } from '#src/kit/concealed.ts'
import { count } from '#src/kit/count.ts'

/** Formats numbers and times for people. */

export { count }

/** `1 document`, `2 documents`. */
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** `850 ms`, `12 s`, `3 min 5 s`, `2 h 7 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** Documents per second: one decimal below ten, else an integer. */
export const rate = (perSecond: number): string => `${perSecond < 10 ? perSecond.toFixed(1) : count(perSecond)}/s`

const escaped = (codePoint: number): string => `\\x${codePoint.toString(16).padStart(2, '0')}`

/**
 * A name from a source may contain anything: escapes control characters, and characters that reorder a text or have no
 * width, before they reach the terminal.
 */
export const printable = (name: string): string =>
  revealed(
    name.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => escaped(character.charCodeAt(0))),
    escaped,
  )

/** Longest name printed in full: one of 2,000 letters would fill the screen before the message. */
const LONGEST_NAME = 120

/** Like `printable`; a long name loses its middle. */
export function shownName(name: string): string {
  const text = printable(name)
  if (text.length <= LONGEST_NAME) return text
  const half = LONGEST_NAME / 2
  // Keeps both units of a surrogate pair together.
  const [start, end] = [text.slice(0, half).replace(/[\ud800-\udbff]$/, ''), text.slice(-half)]
  return `${start}…${end.replace(/^[\udc00-\udfff]/, '')}`
}

/** The first sentence-sized part of a message, on one line. */
export function oneLine(message: string, longest = 160): string {
  const line = printable(message.replaceAll(/\s+/g, ' ').trim())
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`
}
