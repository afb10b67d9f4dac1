import { open } from 'node:fs/promises'
import { exitWithParent, sendToParent } from '../children/exit-with-parent.ts'
import { mailMarkdown } from './mail-markdown.ts'
import { type Attachment, type Mail, PartsFile, type Range } from './mail.ts'

/* Entry point of a child process that takes messages apart. The parent kills it and never asks it to stop. */

export interface MailTask {
  /** File with the message. */
  readonly path: string
  /** File that the child writes: the message as Markdown, and the attachments. */
  readonly partsPath: string
}

export type MailResult =
  | { readonly kind: 'mail'; readonly message: Range; readonly attachments: readonly Attachment[] }
  | { readonly kind: 'not_mail' }
  | { readonly kind: 'damaged' }

const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])

/** Detects the kind by the first bytes: some programs store a MIME message as `.msg`. */
async function readMail(path: string, parts: PartsFile): Promise<Mail | null> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(OLE.length), 0, OLE.length, 0)
  const reader = buffer.equals(OLE)
    ? (await import('./read-msg.ts')).readMsg
    : (await import('./read-mime.ts')).readMime
  return reader(path, parts)
}

async function takeApart({ path, partsPath }: MailTask): Promise<MailResult> {
  using parts = new PartsFile(partsPath)
  try {
    const mail = await readMail(path, parts)
    if (mail === null) return { kind: 'not_mail' }
    return { kind: 'mail', message: parts.add(Buffer.from(mailMarkdown(mail))), attachments: mail.attachments }
  } catch {
    // A message that the libraries cannot read. Their errors may hold pieces of it.
    return { kind: 'damaged' }
  }
}

exitWithParent()
process.on('message', (task: MailTask) => void takeApart(task).then(sendToParent))
