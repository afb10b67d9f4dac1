import { analyse } from 'chardet'

/** Sample size in bytes. Statistics need no more, and their time is linear. */
const DETECTION_BYTES = 64 * 1024

/** Decodes text. Null for an unknown encoding, and with `fatal` for invalid bytes. */
export function decode(bytes: Uint8Array, label: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes)
  } catch {
    return null
  }
}

/** Encodings of two bytes per character. */
const DOUBLE_BYTE = /^(?:big5|gb|euc|shift_jis)/i
/**
 * Threshold: fraction of bytes outside ASCII between two ASCII bytes. In Chinese, Japanese and Korean it is a sixth.
 */
const MOSTLY_ALONE = 0.6

/**
 * Returns the most probable encoding in which every byte is valid. A few accents in a table of names and numbers
 * resemble Chinese statistically. They are isolated between ASCII letters, unlike characters of two bytes.
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

/** Threshold in bytes outside ASCII. Statistics need at least this many. */
const MIN_BYTES = 16

/**
 * Detects the encoding of a text that otherwise counts as Western. Returns one only if adjacent letters belong to
 * another script. Western and Central European encodings differ in too few letters for this test.
 */
export function encodingOfOtherScript(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, DETECTION_BYTES)
  const beyond = sample.reduce((count, byte) => (byte < 0x80 ? count : count + 1), 0)
  return beyond < MIN_BYTES || shareAlone(sample) > MOSTLY_ALONE ? null : encodingByStatistics(sample)
}
