import { analyse } from 'chardet'

/** Statistics need no more than this, and slow down with it. */
const DETECTION_BYTES = 64 * 1024
const FALLBACK = 'windows-1252'

function decode(bytes: Uint8Array, label: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes)
  } catch {
    return null
  }
}

/** The most probable encoding in which every byte means something. */
function byStatistics(bytes: Uint8Array): string | null {
  for (const { name } of analyse(bytes.subarray(0, DETECTION_BYTES))) {
    const text = decode(bytes, name, true)
    if (text !== null) return text
  }
  return null
}

function declaredCharset(contentType: string | null): string | null {
  return /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? '')?.[1] ?? null
}

function byMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/**
 * Text of unknown encoding: byte order mark, then valid UTF-8, then what the sender declared, then statistics. Bytes
 * that are valid UTF-8 by accident are rarer than declarations that are wrong.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const mark = byMark(bytes)
  if (mark !== null) return new TextDecoder(mark).decode(bytes)
  const declared = declaredCharset(contentType)
  return (
    decode(bytes, 'utf-8', true) ??
    (declared === null ? null : decode(bytes, declared, false)) ??
    byStatistics(bytes) ??
    new TextDecoder(FALLBACK).decode(bytes)
  )
}
