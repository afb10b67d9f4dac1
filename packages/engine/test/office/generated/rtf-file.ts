import { Draw, type GeneratedFile } from './draw.ts'

/** An RTF document under construction (RTF 1.9.1). */
class RtfFile {
  readonly #draw: Draw

  constructor(draw: Draw) {
    this.#draw = draw
  }

  /** Letters in the spellings that writers use. */
  #spelled(text: string): string {
    const escaped = (letter: string): string =>
      this.#draw.pick(`\\'${letter.charCodeAt(0).toString(16)}`, `\\u${letter.charCodeAt(0)}?`)
    return this.#draw.chance(0.2) ? text.replace(/(?<=\S)\S(?=\S)/, escaped) : text
  }

  text(construct: string, least = 1, most = 6): string {
    return this.#spelled(this.#draw.phrase(construct, least, most))
  }

  inline(): string {
    const draw = this.#draw
    const choices: readonly (() => string)[] = [
      () => this.text('text'),
      () => this.text('text'),
      () => `{\\b ${this.text('bold')}}`,
      () => `{\\chftn{\\footnote\\pard\\plain ${this.text('footnote')}}}`,
      () => `{\\chftn{\\footnote\\ftnalt\\pard\\plain ${this.text('endnote')}}}`,
      () => `{\\*\\atnid AB}{\\*\\atnauthor Ada}\\chatn{\\*\\annotation\\pard\\plain ${this.text('comment')}}`,
      () =>
        `{\\shp{\\*\\shpinst\\shpleft0\\shptop0\\shpright99\\shpbottom99{\\sp{\\sn shapeType}{\\sv 202}}{\\shptxt\\pard\\plain ${this.text('text box')}\\par}}{\\shprslt\\pard}}`,
      () => `{\\field{\\*\\fldinst HYPERLINK "https://example.org/"}{\\fldrslt ${this.text('link')}}}`,
      () => `{\\field{\\*\\fldinst REF x}{\\fldrslt ${this.text('field')}}}`,
      () => `{\\mmath{\\*\\moMath{\\mr ${draw.word('formula')}}}}`,
      () => `{\\revised\\revauth1 ${this.text('insertion')}}{\\deleted\\revauth1 struck out}`,
      () => `{\\v ${this.text('hidden text')}}`,
      () =>
        `{\\object\\objemb{\\*\\objclass Word.Document.8}{\\*\\objdata 0105}{\\result\\pard\\plain ${this.text('result of an object')}}}`,
      () => `${draw.word('text')}\\tab ${draw.word('text')}\\line ${draw.word('text')}`,
    ]
    return draw.pick(...choices)()
  }

  block(): string {
    const draw = this.#draw
    const content = (): string => `\\pard\\plain ${draw.several(1, 3, () => this.inline(), ' ')}\\par\n`
    const choices: readonly (() => string)[] = [
      content,
      content,
      content,
      () => `\\pard\\plain\\outlinelevel0 ${this.text('heading')}\\par\n`,
      () => `{\\listtext\\bullet\\tab}\\pard\\plain\\ls1 ${this.text('list')}\\par\n`,
      () => this.#table(),
    ]
    return draw.pick(...choices)()
  }

  #table(): string {
    const draw = this.#draw
    const columns = 2 + draw.below(2)
    const widths = Array.from({ length: columns }, (_, index) => `\\cellx${2000 * (index + 1)}`).join('')
    const cell = (): string =>
      draw.chance(0.1)
        ? `${draw.several(1, 2, () => this.#innerRow())}\\pard\\intbl ${this.text('table')}\\cell`
        : `\\pard\\intbl ${draw.chance(0.2) ? this.inline() : this.text('table')}\\cell`
    const row = (): string => `\\trowd${widths}${Array.from({ length: columns }, cell).join('')}\\row\n`
    return `${draw.several(2, 4, row)}\\pard\n`
  }

  /** As Word writes it: each mark of a cell is followed by one for readers that know no tables in tables. */
  #innerRow(): string {
    const fallback = this.#draw.pick(' ', '{\\nonesttables\\par }')
    const cell = (text: string): string => `${text}\\nestcell${fallback}`
    const cells = [this.text('nested table'), this.#draw.number('nested table')].map(cell).join('')
    return `\\pard\\intbl\\itap2 ${cells}{\\*\\nesttableprops\\trowd\\cellx900\\cellx1800\\nestrow}${fallback}`
  }

  furniture(kind: 'header' | 'footer'): string {
    const draw = this.#draw
    if (draw.chance(0.6)) return ''
    const side = draw.pick('', '', 'l', 'f')
    return `{\\${kind}${side}\\pard\\plain ${this.text(kind)}\\par${draw.chance(0.5) ? '\\pard Page \\chpgn\\par' : ''}}\n`
  }
}

/** A rich text document that draws from every construct: the same seed gives the same file. */
export function rtfFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const file = new RtfFile(draw)
  const body = `\\pard\\plain ${file.text('text')}\\par\n${draw.several(1, 8, () => file.block())}`
  const rtf = `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}}{\\stylesheet{\\s0 Normal;}}{\\info{\\title T}}\n${file.furniture('header')}${file.furniture('footer')}${body}}`
  return { extension: 'rtf', bytes: Buffer.from(rtf, 'latin1'), words: draw.words }
}
