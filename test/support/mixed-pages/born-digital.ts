import type { Kind } from './random-page.ts'

const BORN_DIGITAL: ReadonlySet<Kind> = new Set(['native', 'native_photo', 'blank'])

/** Whether all words of such a page are text. */
export function isBornDigital(kind: Kind): boolean {
  return BORN_DIGITAL.has(kind)
}
