import { expect, test } from 'vitest'
import { releaseNotes } from '../../scripts/release/notes.ts'

const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0 (2026-11-22)\n\n- second\n  line\n\n## [0.1.0]\n\n- first\n'

test.each([
  ['0.2.0', { heading: '0.2.0', text: '- second\n  line' }],
  ['0.1.0', { heading: '0.1.0', text: '- first' }],
  ['0.3.0', { heading: 'Unreleased', text: '- new' }],
])('the release notes of %s are its changelog section, else the unreleased one', (version, notes) => {
  expect(releaseNotes(CHANGELOG, version)).toEqual(notes)
})

test('a version without a changelog entry has no release notes', () => {
  expect(releaseNotes('# Changelog\n\n## 0.1.0\n', '0.1.0')).toBeNull()
  expect(releaseNotes('# Changelog\n', '0.1.0')).toBeNull()
})
