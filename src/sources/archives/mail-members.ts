import type { MailUnpacker } from '@sluice/engine/mail'
import type { TempFile } from '../temp-file.ts'
import { ArchiveRefused } from './archive-limits.ts'
import type { PackedMember } from './packed-member.ts'

/** The message of a mail as Markdown, and its attachments. Throws `ArchiveRefused` for a file that is no mail. */
export async function* mailMembers(
  packed: TempFile,
  name: string,
  unpacker: MailUnpacker,
  signal: AbortSignal,
): AsyncGenerator<PackedMember> {
  const unpacked = await unpacker.unpack(packed.read(0, packed.length, signal), signal)
  const shown = JSON.stringify(name)
  if (unpacked.kind === 'not_mail')
    throw new ArchiveRefused('wrong_type', `${shown} is named like a mail but has no mail headers; rename it.`)
  if (unpacked.kind === 'damaged')
    throw new ArchiveRefused('corrupt', `${shown} cannot be read: ${CAUSES[unpacked.reason]}.`)
  await using mail = unpacked
  yield { name: '', skip: null, open: async () => mail.read(mail.message) }
  for (const part of mail.attachments) yield { name: part.name, skip: part.skip, open: async () => mail.read(part) }
}

const CAUSES = {
  format: 'the mail is damaged',
  crash: 'the mail is damaged, and its reader crashed',
  time: 'its parts take more than a minute to read',
  memory: 'its parts take more than 600 MiB of memory to read',
} as const
