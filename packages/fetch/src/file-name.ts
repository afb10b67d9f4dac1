import type { UrlAnswer } from './request-url.ts'

/** Parses the file name in a `Content-Disposition` header; null without one. */
export function fileNameOf(answer: Pick<UrlAnswer, 'header'>): string | null {
  return /filename\s*=\s*"?([^";]+)/i.exec(answer.header('content-disposition') ?? '')?.[1] ?? null
}
