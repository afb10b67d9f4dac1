import { analyse } from 'chardet'

/** Statistics need no more than this, and slow down with it. */
const DETECTION_BYTES = 64 * 1024

/** Null for an encoding that is not known and, where `fatal`, for bytes that mean nothing in it. */
export function decode(bytes: Uint8Array, label: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes)
  } catch {
    return null
  }
}

/** Encodings of two bytes a character. */
const DOUBLE_BYTE = /^(?:big5|gb|euc|shift_jis)/i
/** Share of bytes beyond ASCII that stand between two of ASCII; in Chinese, Japanese and Korean one in six do. */
const MOSTLY_ALONE = 0.6

/**
 * The most probable encoding in which every byte means something. A few accents in a table of names and numbers look like
 * Chinese to statistics, but stand alone between plain letters, as characters of two bytes do not.
 */
export function encodingByStatistics(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, DETECTION_BYTES)
  const isWestern = shareAlone(sample) > MOSTLY_ALONE
  const names = analyse(sample).map(({ name }) => name)
  const possible = names.filter((name) => !(isWestern && DOUBLE_BYTE.test(name)))
  return possible.find((name) => decode(bytes, name, true) !== null)?.toLowerCase() ?? null
}

function shareAlone(bytes: Uint8Array): number {
  let [all, alone] = [0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    if ((bytes[at] ?? 0) < 0x80) continue
    all += 1
    if ((bytes[at - 1] ?? 0) < 0x80 && (bytes[at + 1] ?? 0) < 0x80) alone += 1
  }
  return all === 0 ? 0 : alone / all
}

/** Fewer bytes beyond ASCII are too few for statistics. */
const LEAST_BYTES = 16

/**
 * As above, of a text that is taken for Western otherwise: only where its letters are those of another script, which stand
 * together. Western and Central European encodings differ in too few letters to be distinguished by them.
 */
export function encodingOfOtherScript(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, DETECTION_BYTES)
  const beyond = sample.reduce((count, byte) => (byte < 0x80 ? count : count + 1), 0)
  return beyond < LEAST_BYTES || shareAlone(sample) > MOSTLY_ALONE ? null : encodingByStatistics(sample)
}
