import { readFileSync } from 'node:fs'

/**
 * Finds the package file. It is one folder up in a checkout (`config`) and in a package (`dist`), two in the image's
 * bundle, four in those of the campaign.
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
