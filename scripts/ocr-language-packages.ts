// usage: ocr-language-packages.ts   Prints the npm packages with the OCR data of each language, for the image.
import { LANGUAGES, PACKAGE_VERSION, packageOf } from '../packages/engine/src/languages/language-data.ts'

console.log(
  Object.keys(LANGUAGES)
    .map((code) => `${packageOf(code)}@${PACKAGE_VERSION}`)
    .join(' '),
)
