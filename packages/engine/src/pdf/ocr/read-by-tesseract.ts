import { LiteParse, type TextItem } from '@llamaindex/liteparse'
import { encodePng } from '../ink/encode-png.ts'
import type { GreyPicture } from '../ink/grey-picture.ts'
import type { OcrData } from './ocr-data.ts'

/** The library assumes 150 dpi for every picture and renders it at this resolution for Tesseract, slightly enlarged. */
const READ_DPI = 200

/** Returns the words of a picture from Tesseract, with boxes in pixels. Includes words of low confidence. */
export async function readByTesseract(picture: GreyPicture, data: OcrData): Promise<readonly TextItem[]> {
  const reader = new LiteParse({
    tessdataPath: data.path,
    ocrLanguage: data.languages.join('+'),
    dpi: READ_DPI,
    ocrEnabled: true,
    ocrFailureFatal: false,
    numWorkers: 1,
    outputFormat: 'json',
    quiet: true,
  })
  const [read] = (await reader.parse(encodePng(picture))).pages
  if (read === undefined) return []
  const scale = picture.width / read.width
  return read.textItems.map((item) => ({
    ...item,
    x: item.x * scale,
    y: item.y * scale,
    width: item.width * scale,
    height: item.height * scale,
  }))
}
