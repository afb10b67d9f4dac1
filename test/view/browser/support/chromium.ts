import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const run = promisify(execFile)

/** Path of Debian's Chromium, or a text that says why there is none. */
export async function findChromium(): Promise<{ readonly path: string } | string> {
  const found = await run('sh', ['-c', 'command -v chromium || command -v chromium-browser']).catch(() => null)
  const path = found?.stdout.trim() ?? ''
  return path === '' ? 'no chromium on the PATH: apt-get install chromium' : { path }
}

/** Without a sandbox of its own where the tests run as root, as in a container. */
export function startChromium(path: string): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: path, args })
}
