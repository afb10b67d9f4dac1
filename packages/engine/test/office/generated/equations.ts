import type { Draw } from './draw.ts'

const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'

/** A formula whose identifiers are words of the truth. */
export function formula(draw: Draw, construct: string): string {
  return `<m:oMath ${M}>${draw.several(1, 3, () => term(draw, construct, 3))}</m:oMath>`
}

/** One formula a line. */
export function displayed(draw: Draw, construct: string): string {
  return `<m:oMathPara ${M}>${draw.several(1, 2, () => formula(draw, construct))}</m:oMathPara>`
}

function run(draw: Draw, construct: string): string {
  const style = draw.pick(
    '',
    '<m:rPr><m:sty m:val="p"/></m:rPr>',
    '<m:rPr><m:nor/></m:rPr>',
    '<m:rPr><m:scr m:val="double-struck"/></m:rPr>',
  )
  const operator = draw.pick('', '+', '=', '≤', '±', '∈', '·', '%', '_', '{', 'α', '∞')
  return `<m:r>${style}<m:t>${draw.word(construct)}</m:t></m:r>${operator === '' ? '' : `<m:r><m:t>${operator}</m:t></m:r>`}`
}

function term(draw: Draw, construct: string, depth: number): string {
  if (depth === 0 || draw.chance(0.3)) return run(draw, construct)
  const inner = (): string => draw.several(1, 2, () => term(draw, construct, depth - 1))
  const part = (name: string): string => `<m:${name}>${inner()}</m:${name}>`
  const shapes: readonly (() => string)[] = [
    () =>
      `<m:f>${draw.pick('', '<m:fPr><m:type m:val="noBar"/></m:fPr>', '<m:fPr><m:type m:val="lin"/></m:fPr>')}${part('num')}${part('den')}</m:f>`,
    () => `<m:sSup>${part('e')}${part('sup')}</m:sSup>`,
    () => `<m:sSub>${part('e')}${part('sub')}</m:sSub>`,
    () => `<m:sSubSup>${part('e')}${part('sub')}${part('sup')}</m:sSubSup>`,
    () => `<m:sPre>${part('sub')}${part('sup')}${part('e')}</m:sPre>`,
    () => `<m:rad>${part('deg')}${part('e')}</m:rad>`,
    () => `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${part('e')}</m:rad>`,
    () =>
      `<m:nary><m:naryPr><m:chr m:val="${draw.pick('∑', '∏', '⋃', '∮')}"/></m:naryPr>${part('sub')}${part('sup')}${part('e')}</m:nary>`,
    () =>
      `<m:d><m:dPr><m:begChr m:val="${draw.pick('[', '{', '|', '')}"/><m:endChr m:val="${draw.pick(']', '}', '|', '')}"/></m:dPr>${part('e')}${part('e')}</m:d>`,
    () => `<m:func><m:fName><m:r><m:t>${draw.pick('sin', 'log', 'max')}</m:t></m:r></m:fName>${part('e')}</m:func>`,
    () => `<m:limLow>${part('e')}${part('lim')}</m:limLow>`,
    () => `<m:acc><m:accPr><m:chr m:val="${draw.pick('\u0302', '\u20d7', '\u0304')}"/></m:accPr>${part('e')}</m:acc>`,
    () => `<m:bar>${part('e')}</m:bar>`,
    () => `<m:groupChr>${part('e')}</m:groupChr>`,
    () => `<m:borderBox>${part('e')}</m:borderBox>`,
    () => `<m:eqArr>${part('e')}${part('e')}</m:eqArr>`,
    () => `<m:m><m:mr>${part('e')}${part('e')}</m:mr><m:mr>${part('e')}${part('e')}</m:mr></m:m>`,
  ]
  return draw.pick(...shapes)()
}
