import { exitWithParent, sendToParent } from '../children/exit-with-parent.ts'
import { ConversionError } from '../conversion.ts'
import { wrapImage } from '../images/wrap-image.ts'

/* Entry point of a child process that writes images as PDFs. The parent kills it and never asks it to stop. */

export interface WrapTask {
  readonly path: string
  readonly pdfPath: string
  readonly maxBytes: number
}

export type WrapResult =
  | { readonly kind: 'wrapped'; readonly pages: number }
  | { readonly kind: 'failed'; readonly reason: string }

async function wrapped({ path, pdfPath, maxBytes }: WrapTask): Promise<WrapResult> {
  try {
    return { kind: 'wrapped', pages: (await wrapImage(path, pdfPath, maxBytes)).pages }
  } catch (error) {
    // The message of another error may quote the image.
    return { kind: 'failed', reason: error instanceof ConversionError ? error.message : 'The image is damaged.' }
  }
}

exitWithParent()
process.on('message', (task: WrapTask) => void wrapped(task).then(sendToParent))
