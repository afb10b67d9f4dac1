import { afterAll, describe, expect, test } from 'vitest'
import { MailUnpacker, type UnpackedMail } from '@sluice/engine/mail'
import { Random } from '../../../../test/support/random.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { MailGenerator, wordsOf } from './generated-mail.ts'

const unpacker = new MailUnpacker()
afterAll(() => unpacker[Symbol.asyncDispose]())
const never = new AbortController().signal

/** Number of messages; the figures of docs/internals/quality.md come from 2,000 of a fresh seed. */
const MAILS = Number(process.env.MAILS ?? 150)
const SEED = seedFrom('MAIL_SEED', 'fresh')

async function bytesOf(mail: UnpackedMail, range: { offset: number; bytes: number }): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of mail.read(range)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

const cell = (markdown: string, header: string): string =>
  (new RegExp(`^\\| ${header} \\| (.*) \\|$`, 'm').exec(markdown)?.[1] ?? '').replace(/\\(.)/g, '$1')

describe('a generated mail', () => {
  test('loses no attachment and no word, and keeps its addresses', async () => {
    const generator = new MailGenerator(new Random(SEED))
    for (let at = 0; at < MAILS; at++) {
      const truth = generator.mail()
      const mail = await unpacker.unpack(once(truth.raw), never)
      const shown = `mail ${at} of seed ${SEED}`
      if (mail.kind !== 'mail') throw new Error(`${shown} is ${mail.kind}`)
      const markdown = (await bytesOf(mail, mail.message)).toString()
      const kept = mail.attachments.filter(({ skip }) => skip === null)
      const contents = await Promise.all(kept.map((part) => bytesOf(mail, part)))
      expect(contents.map(String), shown).toEqual(truth.attachments.map(String))
      expect(mail.attachments.length - kept.length, shown).toBe(truth.pictures)
      expect(
        { from: cell(markdown, 'From'), to: cell(markdown, 'To'), subject: cell(markdown, 'Subject') },
        shown,
      ).toEqual({
        from: truth.from,
        to: truth.to,
        subject: truth.subject,
      })
      const body = markdown.slice(markdown.indexOf('\n\n', markdown.indexOf('| Subject')))
      expect(wordsOf(body), shown).toEqual(truth.words)
      await mail[Symbol.asyncDispose]()
    }
  })
})
