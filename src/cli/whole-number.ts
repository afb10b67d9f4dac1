import { UsageError } from './usage-error.ts'

/** A number that a flag of one command takes; refused in one sentence. */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new UsageError(`${flag}: "${text}" is no whole number from ${least} to ${most}`)
}
