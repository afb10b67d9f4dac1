import { describe, expect, test } from 'vitest'
import { convertOffice } from '../../src/office/convert-office.ts'
import { packageOf } from './generated/package-of.ts'
import { zip } from '../../../../test/support/zip.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }
const MAIN = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
const OPEN = 'urn:oasis:names:tc:opendocument:xmlns'

const paragraph = (text: string, properties: string): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
const styled = (text: string, style: string): string => paragraph(text, `<w:pStyle w:val="${style}"/>`)
const style = (id: string, base: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/><w:basedOn w:val="${base}"/></w:style>`

function word(body: string, styles: string, numbering: string): Buffer {
  const part = (name: string, xml: string): { path: string; type: string; xml: string } => ({
    path: `word/${name}.xml`,
    type: `${TYPE}.${name}+xml`,
    xml: `<w:${name} xmlns:w="${MAIN}">${xml}</w:${name}>`,
  })
  const document = {
    path: 'word/document.xml',
    type: `${TYPE}.document.main+xml`,
    xml: `<w:document xmlns:w="${MAIN}"><w:body>${body}</w:body></w:document>`,
    refersTo: { r1: ['styles', 'word/styles.xml'], r2: ['numbering', 'word/numbering.xml'] } as const,
  }
  return packageOf([document, part('styles', styles), part('numbering', numbering)], 6)
}

function open(body: string, automatic: string, common: string): Buffer {
  const names = ['office', 'text', 'style'].map((name) => `xmlns:${name}="${OPEN}:${name}:1.0"`).join(' ')
  const content = `<office:document-content ${names}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`
  const styles = `<office:document-styles ${names}><office:styles>${common}</office:styles></office:document-styles>`
  const mimetype = 'application/vnd.oasis.opendocument.text'
  return zip({ mimetype, 'content.xml': content, 'styles.xml': styles })
}

const openStyle = (name: string, parent: string): string =>
  `<style:style style:name="${name}" style:family="paragraph" style:parent-style-name="${parent}"/>`

describe('circular styles', () => {
  test('lose no text of a Word document, and a style outside the circle keeps its heading', async () => {
    const styles = `${style('A', 'B')}${style('B', 'A')}${style('C', 'C')}${style('heading 2', 'Normal')}${style('E', 'heading 2')}`
    const body = ['A', 'B', 'C', 'E'].map((name) => styled(`text ${name}`, name)).join('')
    const { markdown } = await convertOffice(word(body, styles, ''), 'docx', OPTIONS)
    expect(markdown).toBe('text A\n\ntext B\n\ntext C\n\n## text E\n')
  })

  test('lose no text when a list and its style define each other', async () => {
    const styles = `<w:style w:type="numbering" w:styleId="L"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`
    const numbering = `<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="L"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`
    const body = paragraph('item', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    const { markdown } = await convertOffice(word(body, styles, numbering), 'docx', OPTIONS)
    expect(markdown).toContain('item')
  })

  test('lose no text of an OpenDocument text, also across both of its parts', async () => {
    const body = ['P1', 'B', 'A'].map((name) => `<text:p text:style-name="${name}">text ${name}</text:p>`).join('')
    const bytes = open(body, openStyle('P1', 'A'), `${openStyle('A', 'B')}${openStyle('B', 'P1')}`)
    const { markdown } = await convertOffice(bytes, 'odt', OPTIONS)
    expect(markdown).toBe('text P1\n\ntext B\n\ntext A\n')
  })
})
