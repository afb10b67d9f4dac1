import { escapeXml, type Passage, type Slide } from './passage.ts'
import { shape, slideTable, slideTree, THEME } from './slide-shapes.ts'
import { zip } from './zip.ts'

const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PART = 'application/vnd.openxmlformats-officedocument.presentationml'
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const NAMESPACES =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  `xmlns:r="${OFFICE}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
const COLOURS =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'

const MAIN_TYPES = {
  pptx: `${PART}.presentation.main+xml`,
  pptm: 'application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml',
} as const

/** A PowerPoint deck with speaker notes. `pptm` permits macros; ours contains none. */
export function slideDeck(kind: keyof typeof MAIN_TYPES, title: string, slides: readonly Slide[]): Uint8Array {
  const parts: Record<string, string> = {}
  const types: string[] = []
  /** Adds a part, its type and the parts that it refers to (as r1, r2, …). */
  const add = (path: string, type: string, xml: string, refers: readonly (readonly [string, string])[] = []): void => {
    types.push(`<Override PartName="/${path}" ContentType="${type}"/>`)
    parts[path] = XML + xml
    if (refers.length > 0) parts[path.replace(/([^/]+)$/, '_rels/$1.rels')] = relationships(refers)
  }

  const slideIds = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index + 3}"/>`).join('')
  add(
    'ppt/presentation.xml',
    MAIN_TYPES[kind],
    `<p:presentation ${NAMESPACES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="r1"/></p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="r2"/></p:notesMasterIdLst><p:sldIdLst>${slideIds}</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
    [
      ['slideMaster', 'slideMasters/slideMaster1.xml'],
      ['notesMaster', 'notesMasters/notesMaster1.xml'],
      ...slides.map((_, index) => ['slide', `slides/slide${index + 1}.xml`] as const),
      ['theme', 'theme/theme1.xml'],
    ],
  )
  add(
    'ppt/slideMasters/slideMaster1.xml',
    `${PART}.slideMaster+xml`,
    `<p:sldMaster ${NAMESPACES}>${slideTree(shape('title', 'Title') + shape('body', 'Text'))}${COLOURS}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="r1"/></p:sldLayoutIdLst></p:sldMaster>`,
    [
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      ['theme', '../theme/theme1.xml'],
    ],
  )
  add(
    'ppt/slideLayouts/slideLayout1.xml',
    `${PART}.slideLayout+xml`,
    `<p:sldLayout ${NAMESPACES} type="obj">${slideTree(shape('title', 'Title') + shape('body', 'Text'))}</p:sldLayout>`,
    [['slideMaster', '../slideMasters/slideMaster1.xml']],
  )
  add(
    'ppt/notesMasters/notesMaster1.xml',
    `${PART}.notesMaster+xml`,
    `<p:notesMaster ${NAMESPACES}>${slideTree(shape('notes', 'Notes'))}${COLOURS}</p:notesMaster>`,
    [['theme', '../theme/theme2.xml']],
  )
  for (const name of ['theme1', 'theme2']) {
    add(`ppt/theme/${name}.xml`, 'application/vnd.openxmlformats-officedocument.theme+xml', THEME)
  }
  slides.forEach((slide, index) => {
    const number = index + 1
    const content = slide.passages.map(passageXml).join('')
    add(
      `ppt/slides/slide${number}.xml`,
      `${PART}.slide+xml`,
      `<p:sld ${NAMESPACES}>${slideTree(shape('title', slide.title) + content)}</p:sld>`,
      [
        ['slideLayout', '../slideLayouts/slideLayout1.xml'],
        ['notesSlide', `../notesSlides/notesSlide${number}.xml`],
      ],
    )
    add(
      `ppt/notesSlides/notesSlide${number}.xml`,
      `${PART}.notesSlide+xml`,
      `<p:notes ${NAMESPACES}>${slideTree(shape('notes', slide.notes))}</p:notes>`,
      [
        ['notesMaster', '../notesMasters/notesMaster1.xml'],
        ['slide', `../slides/slide${number}.xml`],
      ],
    )
  })
  return zip({
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join('')}<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="ppt/presentation.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    'docProps/core.xml': `${XML}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escapeXml(title)}</dc:title><dc:creator>Aldermere Navigation Authority</dc:creator></cp:coreProperties>`,
    ...parts,
  })
}

function relationships(refers: readonly (readonly [string, string])[]): string {
  const rows = refers.map(([type, path], index) => {
    return `<Relationship Id="r${index + 1}" Type="${OFFICE}/${type}" Target="${path}"/>`
  })
  return `${XML}<Relationships xmlns="${RELATIONS}">${rows.join('')}</Relationships>`
}

function passageXml(passage: Passage): string {
  switch (passage.kind) {
    case 'heading':
    case 'paragraph':
      return shape('body', passage.text)
    case 'list':
      return shape('body', ...passage.items)
    case 'table':
      return slideTable(passage.rows)
  }
}
