import type { Alias, Document, LineCounter, visit, YAMLError } from 'yaml'

/** Plain replacements for messages of the YAML library, by its code. */
const PLAIN: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'a tab indents the line: use spaces',
  BAD_INDENT: 'the indentation is wrong, or a bracket above is not closed',
  BLOCK_AS_IMPLICIT_KEY:
    'the value contains ": ", or the next line is indented too far: quote the value, or correct the indentation',
  MISSING_CHAR: 'a colon, quote or bracket is missing: write "name: value", and close every quote and bracket',
  MULTILINE_IMPLICIT_KEY: 'a name must be on one line with its colon: write "name: value"',
  UNEXPECTED_TOKEN: 'a bracket, comma or other sign is unexpected here: remove it, or quote the value',
  BAD_SCALAR_START: 'a value that starts with @, ` or % needs quotes',
  BAD_ALIAS: 'a value that starts with * or & needs quotes, as in "*.pdf"',
  BAD_DQ_ESCAPE: 'the backslash starts an unknown escape: write it twice, or use single quotes',
  MULTIPLE_DOCS: 'the line "---" starts a second document: remove it',
}

const NOT_YAML =
  'the line is not valid YAML: write one "name: value" per line, and quote values with special characters'

/** Describes what makes a text unreadable as YAML: one problem per line, as `sluice.yaml:12: what to correct`. */
export function yamlProblems(
  { document, text, lines, name }: { document: Document; text: string; lines: LineCounter; name: string },
  walk: typeof visit,
): string[] {
  const found = document.errors.map(({ code, pos: [offset] }) => ({
    offset,
    message: code === 'DUPLICATE_KEY' ? `${nameAt(text, offset)} is set twice: remove one` : (PLAIN[code] ?? NOT_YAML),
  }))
  // The library reports an alias without an anchor, such as `*.pdf`, only by an exception at the conversion.
  const note = (_: unknown, alias: Alias): void => {
    if (alias.resolve(document) === undefined)
      found.push({ offset: alias.range?.[0] ?? 0, message: PLAIN.BAD_ALIAS ?? NOT_YAML })
  }
  if (found.length === 0) walk(document, { Alias: note })
  const byLine = Map.groupBy(found, ({ offset }) => lines.linePos(offset).line)
  return [...byLine].map(([line, [first]]) => `${name}:${line}: ${first?.message ?? NOT_YAML}`)
}

const nameAt = (text: string, offset: number): string => /^[^:\n]*/.exec(text.slice(offset))?.[0].trim() ?? ''
