import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MailUnpacker } from '@sluice/engine/mail'
import { extensionOf } from '@sluice/contract'
import { afterAll, expect, test } from 'vitest'
import { textKindOf } from '#src/client/texts/text-kind.ts'
import { withArchives } from '#src/sources/archives/archive-source.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { collect } from '../support/documents.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { zip } from '../support/zip.ts'

const SEED = seedFrom('SHARE_SEED', 45)
const FILES = 1_500

const mails = new MailUnpacker()
afterAll(() => mails[Symbol.asyncDispose]())

/** Files of an office share by extension, in tenths of a percent. An assumption: no listing with counts is published. */
const MIX = {
  pdf: 250,
  docx: 170,
  xlsx: 130,
  msg: 70,
  jpg: 60,
  doc: 50,
  xls: 40,
  pptx: 40,
  eml: 30,
  png: 30,
  txt: 20,
  csv: 15,
  ppt: 10,
  tif: 10,
  zip: 10,
  html: 5,
  xml: 5,
  gif: 5,
  rtf: 4,
  odt: 3,
  json: 3,
  xlsm: 3,
  ini: 3,
  lnk: 5,
  db: 5,
  tmp: 3,
  ics: 2,
  log: 2,
  url: 2,
  mp4: 2,
  dwg: 2,
  vsdx: 1,
  mpp: 1,
} as const

const NAMES: Readonly<Record<string, string>> = { db: 'Thumbs.db', ini: 'desktop.ini' }
const FOLDERS = ['', 'Finance/2024/', 'HR/Contracts (signed)/', 'Projekte/Brücke/', 'Old/Backup of D/', 'x.png/']

function mailOf(random: Random): string {
  const attached = Array.from({ length: random.below(3) }, (_, at) => {
    const extension = random.pick(['pdf', 'docx', 'xlsx', 'png', 'jpg'])
    return `--b\nContent-Type: application/octet-stream; name="a${at}.${extension}"\nContent-Transfer-Encoding: base64\n\neA==\n`
  })
  return `From: a@x\nSubject: s ${random.next()}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n${attached.join('')}--b--\n`
}

test('less than 1 % of the files of a generated office share are of an unsupported type', async () => {
  await using folder = await tempFolder()
  const random = new Random(SEED)
  const kinds = Object.entries(MIX).flatMap(([extension, share]) => Array.from({ length: share }, () => extension))
  for (let at = 0; at < FILES; at++) {
    const extension = random.pick(kinds)
    const parent = `${random.pick(FOLDERS)}${at}/`
    const name =
      NAMES[extension] ?? `${random.pick(['Report', 'Scan', 'Offer final v2', 'Überblick'])} ${at}.${extension}`
    const path = join(folder.path, parent, name)
    await mkdir(dirname(path), { recursive: true })
    const isMail = extension === 'eml' || extension === 'msg'
    await writeFile(path, isMail ? mailOf(random) : extension === 'zip' ? zip({ 'in.pdf': 'x', 'b.docx': 'y' }) : 'x')
  }
  const limits = { mostMembers: 10_000, mostBytes: 2 ** 31, mostRatio: 200 }
  const { source } = withArchives(openFolderSource({ path: folder.path }), { limits, mails, archives: true })
  const items = await collect(source.list(new AbortController().signal))
  const listed = items.filter(({ kind }) => kind === 'document')
  const unsupported = listed.filter(({ key }) => extensionOf(key) === null && textKindOf(key) === null)
  const share = unsupported.length / items.length
  process.stdout.write(`SHARE_SEED=${SEED}: ${items.length} files, ${unsupported.length} of an unsupported type\n`)
  expect(items.filter(({ kind }) => kind === 'unusable')).toEqual([])
  expect(share).toBeLessThan(0.01)
})
