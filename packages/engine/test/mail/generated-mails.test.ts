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

/** Damages a message as networks, disks and attackers do. */
function mutated(raw: Buffer, random: Random): Buffer {
  const at = random.below(raw.length)
  const length = random.below(Math.min(2_000, raw.length - at + 1))
  const piece = raw.subarray(at, at + length)
  const [before, after] = [raw.subarray(0, at), raw.subarray(at + length)]
  switch (random.below(7)) {
    case 0:
      return before
    case 1:
      return Buffer.concat([before, after])
    case 2:
      return Buffer.concat([before, ...Array.from({ length: 1 + random.below(50) }, () => piece), after])
    case 3:
      return Buffer.concat([before, random.bytes(length), after])
    case 4:
      return Buffer.from(raw.toString('latin1').replace(/boundary="[^"]*"/, 'boundary="b"'), 'latin1')
    case 5:
      return Buffer.from(raw.toString('latin1').replaceAll(/charset=\S+/g, 'charset="x-none"'), 'latin1')
    default:
      return Buffer.from(raw.toString('latin1').replaceAll(/text\/plain/g, 'application/ms-tnef'), 'latin1')
  }
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

  test('is answered within the limits of its reader after any damage', async () => {
    const random = new Random(SEED + 1)
    const generator = new MailGenerator(random)
    const answers = new Map<string, number>()
    for (let at = 0; at < MAILS; at++) {
      let { raw } = generator.mail()
      for (let times = 1 + random.below(4); times > 0; times--) raw = mutated(raw, random)
      const mail = await unpacker.unpack(once(raw), never)
      const answer = mail.kind === 'damaged' ? `damaged: ${mail.reason}` : mail.kind
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      if (mail.kind !== 'mail') continue
      const { length } = await bytesOf(mail, mail.message)
      expect(length, `mail ${at} of seed ${SEED}`).toBeGreaterThan(0)
      await mail[Symbol.asyncDispose]()
    }
    expect([...answers.keys()].filter((answer) => /time|memory|crash/.test(answer))).toEqual([])
  })
})
