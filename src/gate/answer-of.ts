import type { Ticket } from './admission.ts'
import { assertNever } from './assert-never.ts'
import type { EnterReply } from './border.ts'
import type { Answer } from './waiting-line.ts'

/** What the reply of the script means for the document that asked with this ticket. */
export function answerOf(reply: EnterReply, ticket: Ticket, id: string): Answer {
  switch (reply.kind) {
    case 'admitted': {
      const { kind, fullForMs = null, ...entered } = reply
      return { kind, permit: { ...entered, id, key: ticket.key }, fullForMs }
    }
    case 'wait':
      return reply
    case 'halted':
      return { kind: 'halted', admission: reply }
    default:
      return assertNever(reply)
  }
}
