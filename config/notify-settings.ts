import { NOTICES } from '#src/document/notice.ts'
import { address, choices, optionalText } from './setting.ts'

/** Notices of events to an HTTP receiver. */
export const NOTIFY_SETTINGS = {
  notifyUrl: address({
    protocols: ['http', 'https'],
    example: 'https://hooks.example.com/sluice',
    doc: 'receiver of notices (CloudEvents)',
    secret: 'login',
  }),
  notifySecret: optionalText({
    placeholder: 'secret',
    doc: 'secret that signs notices (HMAC-SHA256, Standard Webhooks)',
    secret: true,
  }),
  notifyEvents: choices({
    values: NOTICES,
    doc: 'events of notices',
    standard: 'run.ended, run.halted',
  }),
}
