import type { Random } from '../../support/random.ts'
import { randomWord, randomWords } from './random-text.ts'

const RTL = 'שלום עולם המסמך הזה נכתב מימין לשמאל مرحبا بالعالم هذه وثيقة طويلة ١٢٣ نص'.split(' ')

const EMOJI = ['👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪🇫🇷', '❤️', '👨🏿‍🚀']

/** Markdown as people, converters and services write it where they do not follow the rules. */
export function oddMarkdown(random: Random): string {
  const words = (most: number): string => randomWords(random, 'mixed', 1 + random.below(most))
  const many = (most: number, line: () => string, between: string): string =>
    Array.from({ length: 1 + random.below(most) }, line).join(between)
  switch (random.below(18)) {
    case 0:
      return many(
        30,
        () => `${'  '.repeat(random.below(6))}${random.pick(['-', '*', '+', '1.', '10)'])}\t${words(12)}`,
        '\n',
      )
    case 1:
      return `- ${words(5)}\n\n  \`\`\`sql\n  ${many(6, () => words(120), '\n  ')}\n  \`\`\`\n\n  ${words(60)}`
    case 2:
      return `\`\`\`\n${many(3, () => randomWords(random, 'latin', 400), '\n')}\n\`\`\``
    case 3:
      return `| a | b |\n|---|---|\n${many(40, () => `| \`x\\|y\` ${words(4)} | <b>${words(3)}</b><br>${words(3)} |`, '\n')}`
    case 4:
      return `| ${words(2)} | ${words(2)}\n:-- | --:\n${many(30, () => `${words(6)} | ${words(2)} | ${words(2)}`, '\n')}`
    case 5:
      return `<table>\n<tr><th>${words(3)}</th></tr>\n${many(60, () => `<tr><td>${words(8)}</td><td>\n\n${words(3)}</td></tr>`, '\n')}\n</table>`
    case 6:
      return many(200, () => random.pick(RTL), random.pick([' ', '\n', ' \u200f']))
    case 7:
      return many(300, () => random.pick(EMOJI), random.pick(['', ' ', '\u200d']))
    case 8:
      return many(40, () => words(12), '\r')
    case 9:
      return many(40, () => `${'\t'.repeat(random.below(4))}${words(9)}`, '\n')
    case 10:
      return random
        .pick(['x', '漢', '_', '9', '\u0e01', 'Ǆ', '\udc00'])
        .repeat(1 + random.below(random.pick([100, 1100, 9000])))
    case 11:
      return `${many(6, () => `${'>'.repeat(1 + random.below(4))} ${words(30)}`, '\n>\n')}\n${words(5)}`
    case 12:
      return `[^1]: ${words(40)}\n[link]: <https://example.com/${'a'.repeat(random.below(500))}> "${words(3)}"`
    case 13:
      return `    ${many(30, () => words(9), '\n    ')}`
    case 14:
      return `${words(4)}\r\n---\r\n${words(40)}\r\n\r\n${words(3)}\r\n===\r\n`
    case 15:
      return `<details><summary>${words(3)}</summary>\n\n| a |\n|-|\n${many(20, () => `| ${words(3)} |`, '\n')}\n\n</details`
    case 16:
      return `$$\n${many(20, () => `\\frac{${randomWord(random, 'latin')}}{|x|} \\\\`, '\n')}\n$$ ![${words(2)}](data:image/png;base64,${random.bytes(random.below(900)).toString('base64')})`
    default:
      return `| ${many(4, () => words(2), ' | ')} |\n| --- |\n${words(9)}\n\n|\n|-|\n| |`
  }
}
