import type { Draw } from './draw.ts'

const run = (text: string, properties = ''): string => `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`

/** Pieces of a paragraph that stand within it alone: revisions, fields, wrappers, hidden text. */
export function wordRuns(draw: Draw): readonly (() => string)[] {
  const field = (text: string): string =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> REF x \\h </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(text)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
  const list = (chosen: string, at: number): string =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="${at}"/>${Array.from({ length: 3 }, (_, index) => `<w:listEntry w:val="${index === at ? chosen : 'unseen'}"/>`).join('')}</w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText xml:space="preserve"> FORMDROPDOWN </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>${run(' ')}`
  return [
    () =>
      `<w:del w:id="1" w:author="a"><w:r><w:delText>struck out</w:delText></w:r></w:del>${run(`${draw.word('text')} `)}`,
    () =>
      `<w:moveFrom w:id="2" w:author="a">${run('struck out')}</w:moveFrom><w:moveTo w:id="3" w:author="a">${run(`${draw.phrase('moved text', 1, 3)} `)}</w:moveTo>`,
    () => field(`${draw.phrase('field', 1, 3)} `),
    () => list(draw.word('list of a form'), draw.below(3)),
    () => `<w:fldSimple w:instr=" TITLE ">${run(`${draw.phrase('field', 1, 3)} `)}</w:fldSimple>`,
    () => `<w:smartTag w:element="place">${run(`${draw.word('smart tag')} `)}</w:smartTag>`,
    () => `<w:customXml w:element="x">${run(`${draw.word('custom XML')} `)}</w:customXml>`,
    () => run(`${draw.word('hidden text')} `, '<w:rPr><w:vanish/></w:rPr>'),
    () =>
      `${run(draw.word('text'))}<w:r><w:tab/></w:r>${run(draw.word('text'))}<w:r><w:br/></w:r>${run(draw.word('text'))}`,
    () =>
      `<w:r><w:ruby><w:rt>${run(draw.word('ruby'))}</w:rt><w:rubyBase>${run(draw.word('ruby'))}</w:rubyBase></w:ruby></w:r>${run(' ')}`,
    () => `<w:bookmarkStart w:id="4" w:name="b"/>${run(`${draw.word('text')} `)}<w:bookmarkEnd w:id="4"/>`,
  ]
}
