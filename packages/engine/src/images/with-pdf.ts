import { closeSync, openSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { signatureOf } from '@sluice/contract'
import { makeWorkFolder } from '../orphaned-folders.ts'
import { wrapImage } from './wrap-image.ts'

/** True if the first bytes of a file are those of an image. */
export function isImage(path: string): boolean {
  const descriptor = openSync(path, 'r')
  try {
    const head = Buffer.alloc(64)
    const length = readSync(descriptor, head, 0, head.length, 0)
    const start = head.subarray(0, length)
    return signatureOf(start) === 'image' || start.toString('latin1', 0, 2) === 'BM'
  } finally {
    closeSync(descriptor)
  }
}

/** Calls `use` with the path of a PDF: the file itself, or the PDF of an image for the time of the call. */
export async function withPdf<Result>(path: string, use: (pdfPath: string) => Promise<Result>): Promise<Result> {
  if (!isImage(path)) return use(path)
  const folder = await makeWorkFolder()
  try {
    const pdfPath = join(folder, 'image.pdf')
    await wrapImage(path, pdfPath)
    return await use(pdfPath)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
