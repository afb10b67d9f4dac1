import { decompressRTF } from '@kenjiuno/decompressrtf'
import { markdownOfHtml, markdownOfText } from './body-text.ts'

/** The body of an Outlook message, in the forms that it holds. */
export interface RawBody {
  readonly html: string | null
  readonly text: string | null
  /** Compressed RTF (MS-OXRTFCP). */
  readonly rtf: Uint8Array | null
}

/**
 * Converts the best form of a body: HTML, else the plain text, else the RTF; empty without one. Outlook keeps all forms
 * equal, so a blank plain text means a body without text.
 */
export async function markdownOfBody({ html, text, rtf }: RawBody): Promise<string> {
  if (html !== null && html.trim() !== '') return markdownOfHtml(html)
  if (text !== null) return markdownOfText(text)
  if (rtf === null || rtf.length === 0) return ''
  // The native converter is absent where the engine is not installed: only a body in RTF needs it.
  const { convertOffice } = await import('../office/convert-office.ts')
  const options = { onlyMainContent: false, removeBase64Images: true }
  const { markdown } = await convertOffice(Buffer.from(decompressRTF([...rtf])), 'rtf', options)
  return (markdown ?? '').trim()
}
