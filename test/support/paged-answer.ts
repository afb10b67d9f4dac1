import type { Reply } from './scripted-service.ts'

/** An answer that keeps the contract, with one text block for each of these texts. */
export function answerOf(texts: readonly string[], grades: readonly number[] | null): Reply {
  let markdown = ''
  const blocks = texts.map((content, index) => {
    if (markdown !== '' && content !== '') markdown += '\n\n'
    const markdownSpan = [markdown.length, markdown.length + content.length]
    markdown += content
    const item = {
      id: `p${index + 1}.b0`,
      type: 'text',
      content,
      markdownSpan,
      readingOrder: 0,
      bbox: [0, 0.2, 1, 0.3],
    }
    return { pageNumber: index + 1, width: 612, height: 792, status: 'ok', items: content === '' ? [] : [item] }
  })
  const pages = texts.map((text, index) => ({ pageNumber: index + 1, markdown: text }))
  const metadata = { numPages: texts.length, totalPages: texts.length, creditsUsed: texts.length }
  const pageGrades = grades?.map((grade, index) => ({ pageNumber: index + 1, grade, components: {} }))
  const sluice = pageGrades === undefined ? {} : { sluice: { engine: '1', pageGrades } }
  return { body: { success: true, data: { markdown, pages, blocks, metadata, ...sluice } } }
}
