// Prints the optional packages that the lockfile names for this machine and that are not installed, one `name@version`
// per line. With `omit` it skips those of the development tools. Plain JavaScript for any Node: it runs before the
// set-up is done.
import { existsSync, readFileSync } from 'node:fs'

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const libc = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'

const withoutTools = process.argv[2] === 'omit'

const isFor = (wanted, here) => !wanted || wanted.includes(here)

for (const [folder, locked] of Object.entries(packages)) {
  if (!locked.optional || !locked.os || (withoutTools && locked.dev)) continue
  if (!isFor(locked.os, process.platform) || !isFor(locked.cpu, process.arch)) continue
  if (process.platform === 'linux' && !isFor(locked.libc, libc)) continue
  if (existsSync(`${folder}/package.json`)) continue
  console.log(`${folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${locked.version}`)
}
