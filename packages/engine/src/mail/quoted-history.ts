/** First line of the history that a mail program appends without quote marks. */
const ORIGINAL =
  /^[*_\\ ]*-{2,}\s*(?:Original Message|Original Appointment|Forwarded message|Forwarded by|Ursprüngliche Nachricht|Weitergeleitete Nachricht|Message d'origine|Message transféré|Mensaje original|Messaggio originale|Oorspronkelijk bericht|Mensagem original|Исходное сообщение|原始邮件|元のメッセージ)/i
const FROM = /^[*_ ]*(?:From|Von|De|Da|Van|От|发件人|差出人)[*_ ]*[:：]/
const SENT =
  /^[*_ ]*(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Data|Verzonden|Отправлено|发送时间|送信日時)[*_ ]*[:：]/

/**
 * Marks quoted history as a block quote: everything from the first line that a mail program writes above it
 * (`-----Original Message-----`, or `From:` with `Sent:` close below).
 */
export function withMarkedHistory(markdown: string): string {
  const lines = markdown.split('\n')
  const at = lines.findIndex((line, index) => startsHistory(line, lines.slice(index + 1, index + 5)))
  if (at < 0) return markdown
  const quoted = lines.slice(at).map((line) => (line === '' ? '>' : `> ${line}`))
  return [...lines.slice(0, at), ...(at > 0 && lines[at - 1] !== '' ? [''] : []), ...quoted].join('\n')
}

function startsHistory(line: string, next: readonly string[]): boolean {
  return ORIGINAL.test(line) || (FROM.test(line) && next.some((below) => SENT.test(below)))
}
