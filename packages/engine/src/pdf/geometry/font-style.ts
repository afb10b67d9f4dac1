/** Glyph style from a font's name. PDFs rarely state it elsewhere. */
export interface FontStyle {
  /** 100 (thin) to 900 (black) as in CSS. 400 if the name states none. */
  readonly weight: number
  readonly italic: boolean
  readonly monospaced: boolean
  /** True for a font of letters and signs in formulas. */
  readonly math: boolean
}

/** Random prefix in the name of an embedded font subset. */
const SUBSET = /^[A-Z]{6}\+/
/**
 * Computer Modern and its European successors encode a shape in two letters after the family: `CMBX12`, `SFTI1000`,
 * `ECTT10`. Source: the TeX directory of font names (CM, EC, CM-Super).
 */
const TEX = /^(?:CM|SF|EC|TC|LA|LC|LM)(SSBX|SSI|SSDC|BXTI|BXSL|BX|BI|BL|SX|SO|RB|B|TI|TT|IT|SL|SI|U)?\d{1,4}$/
const TEX_BOLD = /^(?:SSBX|SSDC|BXTI|BXSL|BX|BI|BL|SX|SO|RB|B)$/
const TEX_ITALIC = /^(?:SSI|BXTI|BXSL|BI|BL|SO|TI|IT|SL|SI)$/

/** Fonts of mathematics in TeX, in Word and in its equation editors. */
const MATH =
  /^(?:CM(?:MI|SY|EX|BSY|MIB)|MS[AB]M|EU[FRS][BM]|MT(?:SY|EX|MI|2|Extra)|rtxmi|[pt]xsy|[pt]xmi|STIX\w*Math|Euclid(?:Symbol|Extra|Math)|Symbol(?:MT)?$)|math/i

/** Adobe's abbreviations: `MyriadBd`, `FrutigerLtIt`, `HelveticaNeue-BdCn`. */
const ABBREVIATED_BOLD = /(?<=[a-z\d-])(?:Bd|Hv|Blk|Smbd)(?=$|[A-Z-])/
const ABBREVIATED_ITALIC = /(?<=[a-z\d-])It(?=$|[A-Z-])|-I$|-BI$/
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/ultra-?light|extra-?light|thin|hairline/i, 200],
  // Nimbus, Ghostscript's Times and Helvetica, names its bold `Medi` and its semi-bold `Demi`.
  [/-medi(?:ital|obli)?$/i, 700],
  [/black|heavy|ultra|fat\b/i, 900],
  [/semi-?bold|demi/i, 600],
  [/bold|-b$|-bi$/i, 700],
  [/medium/i, 500],
  [/light|-l$/i, 300],
]

/** Parses weight and shape from a font name, without its subset tag. */
export function fontStyle(fontName: string): FontStyle {
  const name = fontName.replace(SUBSET, '')
  const math = MATH.test(name)
  const [isTex, shape = ''] = TEX.exec(name) ?? []
  if (isTex !== undefined) {
    return {
      weight: TEX_BOLD.test(shape) ? 700 : 400,
      italic: TEX_ITALIC.test(shape),
      monospaced: shape === 'TT',
      math,
    }
  }
  return {
    weight: ABBREVIATED_BOLD.test(name) ? 700 : (WEIGHTS.find(([pattern]) => pattern.test(name))?.[1] ?? 400),
    italic:
      /italic|oblique|slanted|-(?:medi|regu|demi|book)?(?:ital|obli)$/i.test(name) || ABBREVIATED_ITALIC.test(name),
    math,
    monospaced: /mono(?!type)|courier|consol|typewriter|menlo|inconsolata/i.test(name),
  }
}
