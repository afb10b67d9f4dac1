import { escapeXml, type Passage } from './passage.ts'
import { zip } from './zip.ts'

const MAIN = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

const CONTENT_TYPES = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  docm: 'application/vnd.ms-word.document.macroEnabled.main+xml',
} as const

/** A Word document. `docm` permits macros; ours contains none. */
export function wordDocument(
  kind: keyof typeof CONTENT_TYPES,
  title: string,
  passages: readonly Passage[],
): Uint8Array {
  const part = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
  return zip({
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${CONTENT_TYPES[kind]}"/><Override PartName="/word/styles.xml" ContentType="${part}.styles+xml"/><Override PartName="/word/numbering.xml" ContentType="${part}.numbering+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    'docProps/core.xml': `${XML}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escapeXml(title)}</dc:title><dc:creator>Aldermere Navigation Authority</dc:creator></cp:coreProperties>`,
    'word/_rels/document.xml.rels': `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/styles" Target="styles.xml"/><Relationship Id="r2" Type="${OFFICE}/numbering" Target="numbering.xml"/></Relationships>`,
    'word/styles.xml': STYLES,
    'word/numbering.xml': NUMBERING,
    'word/document.xml': `${XML}<w:document xmlns:w="${MAIN}"><w:body>${passages.map(passageXml).join('')}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`,
  })
}

function passageXml(passage: Passage): string {
  switch (passage.kind) {
    case 'heading':
      return paragraphXml(passage.text, `<w:pStyle w:val="Heading${passage.level}"/>`)
    case 'paragraph':
      return paragraphXml(passage.text)
    case 'list':
      return passage.items.map((item) => paragraphXml(item, LIST_ITEM)).join('')
    case 'table':
      return tableXml(passage.rows)
  }
}

const LIST_ITEM = '<w:pStyle w:val="ListBullet"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'

function paragraphXml(text: string, properties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`
}

function tableXml(rows: readonly (readonly string[])[]): string {
  const grid = (rows[0] ?? []).map(() => '<w:gridCol w:w="2400"/>').join('')
  const body = rows.map((cells, index) => {
    const heading = index === 0 ? '<w:trPr><w:tblHeader/></w:trPr>' : ''
    return `<w:tr>${heading}${cells.map((cell) => `<w:tc><w:tcPr><w:tcW w:w="2400" w:type="dxa"/></w:tcPr>${paragraphXml(cell)}</w:tc>`).join('')}</w:tr>`
  })
  return `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${body.join('')}</w:tbl>${paragraphXml('')}`
}

const headingStyle = (level: number, halfPoints: number): string =>
  `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:pPr><w:outlineLvl w:val="${level - 1}"/></w:pPr><w:rPr><w:b/><w:sz w:val="${halfPoints}"/></w:rPr></w:style>`

const BORDERS = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV']
  .map((side) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="808080"/>`)
  .join('')

const STYLES = `${XML}<w:styles xmlns:w="${MAIN}"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>${headingStyle(1, 36)}${headingStyle(2, 28)}<w:style w:type="paragraph" w:styleId="ListBullet"><w:name w:val="List Bullet"/><w:basedOn w:val="Normal"/></w:style><w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders>${BORDERS}</w:tblBorders></w:tblPr></w:style></w:styles>`

const NUMBERING = `${XML}<w:numbering xmlns:w="${MAIN}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
