import { readFileSync } from 'node:fs'

/**
 * Finds the package file. It is one folder up in a checkout (`config`) and in a package (`dist`), two in a checkout's
 * bundle, four in that of the tests.
 */
export function packageVersion(): string {
  for (const up of ['../package.json', '../../package.json', '../../../../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'))
      if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version)
    } catch {
      // Absent: another layout.
    }
  }
  return 'unknown'
}
