// Makes the generated files of samples/: `npm run samples [-- --with-libreoffice]`. README.md names the origin of each
// file.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { annualReport, memorandum, noticeBoard } from './content/report.ts'
import * as sheets from './content/sheets.ts'
import * as slides from './content/slides.ts'
import * as texts from './content/texts.ts'
import { epub } from './epub.ts'
import { openDocumentSlides, openDocumentText } from './open-document.ts'
import { picture, report, scan } from './pdf.ts'
import { slideDeck } from './slide-deck.ts'
import { withoutThumbnail } from './thumbnail.ts'
import { wordDocument } from './word.ts'
import { workbook } from './workbook.ts'

const SAMPLES = resolve(import.meta.dirname, '../../samples')

const save = (name: string, bytes: Uint8Array): void => writeFileSync(join(SAMPLES, name), bytes)

save('lock-inspection.docx', wordDocument('docx', 'Inspection of Gannet Lock', texts.inspection))
save('permit-to-work.docm', wordDocument('docm', 'Permit to work W-2024-17', texts.permit))
save('restoration-history.odt', openDocumentText('How the Navigation came back', texts.history))
save('open-day-talk.odp', openDocumentSlides('How a lock works', slides.talk))
save('lock-register.xlsx', workbook('xlsx', 'Register of locks and bridges', sheets.lockRegister))
save('repair-budget.xlsm', workbook('xlsm', 'Budget of the repair of Gannet Lock', sheets.budget))
save('telemetry.xlsb', workbook('xlsb', 'Telemetry, week 19', sheets.telemetry))
save('tolls-1998.xls', workbook('xls', 'Tolls of 1998', sheets.tolls))
save('water-levels.ods', workbook('ods', 'Water levels', sheets.levels))
save('keepers-handbook.epub', epub('The lock keeper’s handbook', texts.handbook))
save('annual-report.pdf', await report('Annual report 2024', annualReport))
save('scan.pdf', await scan('Memorandum of 1931', memorandum))
save('notice-board.png', await picture('Notice board', noticeBoard))

save('winter-works.pptx', slideDeck('pptx', 'Winter works 2024/25', slides.briefing))
save('safety-training.pptm', slideDeck('pptm', 'Safety training', slides.safety))

if (process.argv.includes('--with-libreoffice')) {
  save('board-minutes.doc', converted(wordDocument('docx', 'Minutes of the Board', texts.minutes), 'docx', 'doc'))
  save(
    'volunteer-induction.ppt',
    withoutThumbnail(converted(slideDeck('pptx', 'Volunteers', slides.induction), 'pptx', 'ppt')),
  )
}

/** Converts a document with LibreOffice. */
function converted(document: Uint8Array, from: string, to: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-samples-'))
  try {
    const input = join(folder, `document.${from}`)
    writeFileSync(input, document)
    execFileSync('soffice', [
      `-env:UserInstallation=file://${folder}/profile`,
      '--headless',
      '--convert-to',
      to,
      '--outdir',
      folder,
      input,
    ])
    return readFileSync(join(folder, `document.${to}`))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
