import type { UrlAnswer } from './request-url.ts'

/** File name of a `Content-Disposition` header, or null. */
export function fileNameOf(answer: Pick<UrlAnswer, 'header'>): string | null {
  return /filename\s*=\s*"?([^";]+)/i.exec(answer.header('content-disposition') ?? '')?.[1] ?? null
}
