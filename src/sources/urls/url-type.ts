import {
  type Extension,
  extensionOf,
  extensionOfMediaType,
  type TextExtension,
  textExtensionOf,
} from '@sluice/contract'
import { fileNameOf, type UrlAnswer } from '@sluice/fetch'
import { asSpelled } from './url-key.ts'

/** Media types that servers send for any content. */
const UNSPECIFIC_TYPE = /^(application\/(octet-stream|zip|x-download|force-download)|text\/plain|binary\/)/i

/**
 * Type of an answer: by its media type if that is specific, then by the file name in its header, then by its path. Null
 * for an unsupported type.
 */
export function urlExtension(answer: Pick<UrlAnswer, 'header' | 'url'>): Extension | null {
  const mediaType = answer.header('content-type') ?? ''
  const named = extensionOf(fileNameOf(answer) ?? '') ?? extensionOf(answer.url.pathname)
  if (mediaType === '' || UNSPECIFIC_TYPE.test(mediaType)) return named
  const extension = extensionOfMediaType(mediaType)
  return extension === null ? null : asSpelled(answer.url, extension)
}

/** Like `urlExtension`, for a text that needs no parser: by its name, else by a media type of texts. */
export function urlTextExtension(answer: Pick<UrlAnswer, 'header' | 'url'>): TextExtension | null {
  const mediaType = answer.header('content-type') ?? ''
  const isMarkdown = /^text\/(?:x-)?markdown\b/i.test(mediaType)
  if (mediaType !== '' && !isMarkdown && !UNSPECIFIC_TYPE.test(mediaType)) return null
  const named = textExtensionOf(answer.url.pathname) ?? textExtensionOf(fileNameOf(answer) ?? '')
  if (named !== null) return named
  if (isMarkdown) return 'md'
  return /^text\/plain\b/i.test(mediaType) ? 'txt' : null
}
