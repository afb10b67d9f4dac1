import { pdfFile, pdfStream } from '../../../../test/support/pdf-objects.ts'

/**
 * A PDF with one line of text on each page. `kids` and `count` of the page tree, which is object 2; the first page is
 * object 4.
 */
export function pdfOf(
  pages: readonly string[],
  kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' '),
  count = pages.length,
): Buffer<ArrayBuffer> {
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
      pdfStream('', `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`),
    ]),
  ])
}
