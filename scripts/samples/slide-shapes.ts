import { escapeXml } from './passage.ts'

type Role = 'title' | 'body' | 'notes'

/** Placeholder and frame of each role; lengths are in EMU, 914,400 per inch. */
const ROLES: Readonly<Record<Role, { readonly id: number; readonly placeholder: string; readonly frame: string }>> = {
  title: { id: 2, placeholder: '<p:ph type="title"/>', frame: frame(838200, 365125, 10515600, 1325563) },
  body: { id: 3, placeholder: '<p:ph idx="1"/>', frame: frame(838200, 1825625, 10515600, 4351338) },
  notes: { id: 3, placeholder: '<p:ph type="body" idx="1"/>', frame: frame(685800, 4400550, 5486400, 3600450) },
}

function frame(x: number, y: number, width: number, height: number): string {
  return `<a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/>`
}

/** A placeholder of the slide with one paragraph per line. */
export function shape(role: Role, ...lines: readonly string[]): string {
  const { id, placeholder, frame: where } = ROLES[role]
  const bullet = role === 'body' ? '<a:pPr marL="342900" indent="-342900"><a:buChar char="•"/></a:pPr>' : ''
  const text = lines.map((line) => `<a:p>${bullet}<a:r><a:rPr lang="en-GB"/><a:t>${escapeXml(line)}</a:t></a:r></a:p>`)
  return `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${role} ${id}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm>${where}</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>${text.join('')}</p:txBody></p:sp>`
}

/** A table across the slide; the first row is the heading row. */
export function slideTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0
  const width = Math.floor(10515600 / columns)
  const grid = `<a:gridCol w="${width}"/>`.repeat(columns)
  const cell = (text: string): string =>
    `<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="en-GB"/><a:t>${escapeXml(text)}</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc>`
  const body = rows.map((cells) => `<a:tr h="420000">${cells.map(cell).join('')}</a:tr>`).join('')
  return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="table 4"/><p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr><p:xfrm>${frame(838200, 1825625, width * columns, 420000 * rows.length)}</p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr firstRow="1" bandRow="1"/><a:tblGrid>${grid}</a:tblGrid>${body}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
}

export function slideTree(shapes: string): string {
  return `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shapes}</p:spTree></p:cSld>`
}

const colour = (name: string, rgb: string): string => `<a:${name}><a:srgbClr val="${rgb}"/></a:${name}>`
const font = (name: string): string =>
  `<a:${name}><a:latin typeface="Liberation Sans"/><a:ea typeface=""/><a:cs typeface=""/></a:${name}>`
const FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'

/** The smallest theme that PowerPoint opens: twelve colours, two fonts, three drawing styles of each kind. */
export const THEME = `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Aldermere"><a:themeElements><a:clrScheme name="Aldermere">${colour('dk1', '102A2F')}${colour('lt1', 'FFFFFF')}${colour('dk2', '14444F')}${colour('lt2', 'EAF2F1')}${['1F6F78', 'C9803A', '5B8C5A', '8A5A83', 'B5483D', '3D5A80'].map((rgb, index) => colour(`accent${index + 1}`, rgb)).join('')}${colour('hlink', '1F6F78')}${colour('folHlink', '8A5A83')}</a:clrScheme><a:fontScheme name="Aldermere">${font('majorFont')}${font('minorFont')}</a:fontScheme><a:fmtScheme name="Aldermere"><a:fillStyleLst>${FILL.repeat(3)}</a:fillStyleLst><a:lnStyleLst>${`<a:ln w="9525">${FILL}</a:ln>`.repeat(3)}</a:lnStyleLst><a:effectStyleLst>${'<a:effectStyle><a:effectLst/></a:effectStyle>'.repeat(3)}</a:effectStyleLst><a:bgFillStyleLst>${FILL.repeat(3)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
