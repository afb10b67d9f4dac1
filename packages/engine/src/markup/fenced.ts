/** Returns text as a code block, with a fence longer than any fence in it. */
export function fenced(text: string, language = ''): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [marks]) => Math.max(most, marks.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language.replace(/[\s`]/g, '')}\n${text}\n${fence}`
}
