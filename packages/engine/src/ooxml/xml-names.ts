/** Prefix of each namespace in the standard's examples (ECMA-376, transitional and strict). */
const PREFIXES: Readonly<Record<string, string>> = {
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
  'http://purl.oclc.org/ooxml/wordprocessingml/main': 'w',
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
  'http://schemas.openxmlformats.org/drawingml/2006/main': 'a',
  'http://purl.oclc.org/ooxml/drawingml/main': 'a',
  'http://schemas.openxmlformats.org/drawingml/2006/chart': 'c',
  'http://purl.oclc.org/ooxml/drawingml/chart': 'c',
  'http://schemas.microsoft.com/office/drawing/2014/chartex': 'cx',
  'http://schemas.openxmlformats.org/drawingml/2006/diagram': 'dgm',
  'http://purl.oclc.org/ooxml/drawingml/diagram': 'dgm',
  'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing': 'xdr',
  'http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing': 'xdr',
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main': 'x',
  'http://purl.oclc.org/ooxml/spreadsheetml/main': 'x',
  'http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments': 'tc',
  'http://schemas.openxmlformats.org/presentationml/2006/main': 'p',
  'http://purl.oclc.org/ooxml/presentationml/main': 'p',
  'http://schemas.microsoft.com/office/powerpoint/2018/8/main': 'p188',
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships': 'r',
  'http://purl.oclc.org/ooxml/officeDocument/relationships': 'r',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
  'http://schemas.microsoft.com/office/drawing/2010/main': 'a14',
}

/** Maps names to the standard's prefixes, for any prefixes in a file. Local names remain unchanged. */
export class XmlNames {
  readonly #prefixes = new Map<string, string>()

  /** Registers a namespace. Call it for each attribute before a lookup of the element's name. */
  declare(attribute: string, value: string): void {
    if (attribute !== 'xmlns' && !attribute.startsWith('xmlns:')) return
    const canonical = PREFIXES[value]
    if (canonical !== undefined) this.#prefixes.set(attribute.slice('xmlns:'.length), canonical)
  }

  canonical(name: string): string {
    const colon = name.indexOf(':')
    const prefix = this.#prefixes.get(colon < 0 ? '' : name.slice(0, colon))
    return prefix === undefined ? name : `${prefix}:${name.slice(colon + 1)}`
  }

  /** Returns the file's prefix for one of the standard's, with its colon. Empty for a default namespace. */
  own(prefix: string): string {
    for (const [own, canonical] of this.#prefixes) if (canonical === prefix) return own === '' ? '' : `${own}:`
    return `${prefix}:`
  }
}
