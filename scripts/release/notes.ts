/** Section of CHANGELOG.md for one version. */
export interface ReleaseNotes {
  readonly text: string
  /** `Unreleased` until the heading of the version is written. */
  readonly heading: string
}

/** The section of `version`, else the unreleased one; null if both are missing or empty. */
export function releaseNotes(changelog: string, version: string): ReleaseNotes | null {
  const sections = changelog.split(/^## /m).slice(1)
  const named = (name: string): string | undefined =>
    sections.find((section) => section.split(/\s/, 1)[0]?.replace(/^\[|\]$/g, '') === name)
  const section = named(version) ?? named('Unreleased')
  if (section === undefined) return null
  const end = section.indexOf('\n')
  const text = end === -1 ? '' : section.slice(end).trim()
  return text === '' ? null : { text, heading: section.split(/\s/, 1)[0]?.replace(/^\[|\]$/g, '') ?? '' }
}
