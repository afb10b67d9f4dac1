import type { Random } from '../../support/random.ts'

export const WORDS = (
  'the of and to in is that it was for on are with as his they at be this from have or by one had not but what all were when we there ' +
  'can an your which their said if do will each about how up out them then she many some so these would other into has more her two ' +
  'invoice payment contract annual water canal passage volunteer reserve engineer winter programme navigation temperature pressure ' +
  'Section Appendix Revenue Total Amount Aldermere Gannet Millrace internationalisation counterrevolutionary'
).split(' ')

const HAN = '天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳のはをにがでとも'.split('')

const WILD = [
  'naïve',
  'Straße',
  'Ελλάδα',
  'Привет',
  'שלום',
  'مرحبا',
  'हिन्दी',
  'ไทย',
  '한국어',
  '🙂',
  '👩‍👩‍👧‍👦',
  '🇩🇪',
  'e\u0301\u0302',
  '𝔘𝔫𝔦',
  '\ud800',
  '<|im_start|>',
  '[SEP]',
  '\u200b',
  '\u00a0',
  '/',
  '//x',
  '“quoted”',
  "don't",
  '…',
]

export function randomWord(random: Random, script: string): string {
  if (script === 'han') return Array.from({ length: 1 + random.below(12) }, () => random.pick(HAN)).join('')
  if (script === 'wild' || (script === 'mixed' && random.below(6) === 0)) return random.pick(WILD)
  switch (random.below(14)) {
    case 0:
      return (random.next() * 10 ** random.below(9)).toFixed(random.below(3))
    case 1:
      return `${random.pick(WORDS)}${random.pick([',', ';', ')', '%', "'s", '-', '_x', '\\'])}`
    case 2:
      return random.below(40) === 0 ? random.bytes(random.below(600)).toString('base64') : random.pick(WORDS)
    default:
      return random.pick(WORDS)
  }
}

export const randomWords = (random: Random, script: string, count: number): string =>
  Array.from({ length: count }, () => randomWord(random, script)).join(
    script === 'han' ? '，' : random.below(30) === 0 ? '  ' : ' ',
  )

export function randomText(random: Random, script: string): string {
  const sentences = Array.from({ length: 1 + random.below(random.pick([2, 8, 40])) }, () => {
    const words = randomWords(random, script, 1 + random.below(random.pick([8, 25, 25, 200])))
    return words + random.pick(script === 'han' ? ['。', '！'] : ['.', '.', '?', '!', '…', '."', '.)'])
  })
  return sentences.join(script === 'han' ? '' : random.below(6) === 0 ? '\n' : ' ')
}
