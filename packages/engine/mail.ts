export type { Attachment, Range } from './src/mail/mail.ts'
export { type MailProblem, MailUnpacker, type UnpackedMail } from './src/mail/mail-unpacker.ts'
