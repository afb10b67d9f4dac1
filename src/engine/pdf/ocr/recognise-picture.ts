import type { TextItem } from '@llamaindex/liteparse'
import type { GreyPicture, PageDrawing } from '../ink/grey-picture.ts'
import { evenContrast } from './contrast.ts'
import { withoutSpecks } from './denoise.ts'
import { type LineModels, lineModels } from './lines/line-models.ts'
import { readLines } from './lines/read-lines.ts'
import type { OcrData } from './ocr-data.ts'
import { readByTesseract } from './read-by-tesseract.ts'
import { withoutSteps } from './without-steps.ts'

/** What the models of lines read: Latin letters without accents, and Chinese. */
const READ_BY_MODELS: ReadonlySet<string> = new Set(['eng', 'chi_sim'])

/**
 * Words of a picture, boxes in pixels; those with little confidence too. Tesseract reads other languages, and everything
 * on a machine that the models do not run on.
 */
export async function recognisePicture(picture: GreyPicture, data: OcrData): Promise<readonly TextItem[]> {
  const models = await modelsFor(data)
  return models === null ? readByTesseract(picture, data) : readLines(picture, models)
}

/** A page as its reader wants it: the models were trained on pictures as they are. */
export async function preparedFor(data: OcrData, drawing: PageDrawing): Promise<PageDrawing> {
  const models = await modelsFor(data)
  return models === null ? withoutSteps(evenContrast(withoutSpecks(drawing))) : drawing
}

async function modelsFor({ languages }: OcrData): Promise<LineModels | null> {
  return languages.every((code) => READ_BY_MODELS.has(code)) ? lineModels() : null
}
