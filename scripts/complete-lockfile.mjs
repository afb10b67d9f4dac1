// Completes package-lock.json: adds optional packages of other platforms that the registry did not offer at its
// creation. If one is missing, `npm ci` of npm 11.8 and later fails. The integrity hash follows when npm next resolves
// such a package. Also marks ONNX Runtime as a package without an install script: npm then skips the script, which
// downloads GPU files, or fails. `--check` changes nothing, prints each missing package, and exits with 1 if there is
// one.
import { readFileSync, writeFileSync } from 'node:fs'

const FILE = 'package-lock.json'
const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

const lock = JSON.parse(readFileSync(FILE, 'utf8'))
const added = []

for (const [folder, locked] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
    if (isLocked(folder, name)) continue
    if (!/^\d/.test(version))
      throw new Error(`${folder} depends on ${name}@${version}, and only an exact version can be added`)
    lock.packages[`node_modules/${name}`] = { version, ...flagsOf(locked), optional: true, ...platformOf(name) }
    added.push(`${name}@${version}`)
  }
}

if (lock.packages['node_modules/onnxruntime-node']?.hasInstallScript) {
  delete lock.packages['node_modules/onnxruntime-node'].hasInstallScript
  added.push('onnxruntime-node without its install script')
}

if (process.argv.includes('--check')) {
  for (const name of added) console.log(name)
  process.exitCode = added.length > 0 ? 1 : 0
} else if (added.length > 0) {
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
  lock.packages = Object.fromEntries(sorted)
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(added.join('\n'))
}

/** True if a package finds `name` in its node_modules folder or in one above. */
function isLocked(folder, name) {
  let at = folder
  for (;;) {
    if (lock.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true
    if (at === '') return false
    const up = at.lastIndexOf('/node_modules/')
    at = up === -1 ? '' : at.slice(0, up)
  }
}

function flagsOf({ dev, devOptional, peer }) {
  return { ...(dev ? { dev } : {}), ...(devOptional ? { devOptional } : {}), ...(peer ? { peer } : {}) }
}

/** `@a/binding-linux-x64-gnu` → os, cpu and libc, in npm's notation. */
function platformOf(name) {
  const words = name.split(/[/-]/)
  const system = SYSTEMS.find((os) => words.includes(os))
  const processor = PROCESSORS.find((cpu) => words.some((word) => word === cpu || (cpu === 'arm' && word === 'armv7')))
  const libc = /gnu/.test(name) ? 'glibc' : /musl/.test(name) ? 'musl' : undefined
  if (system === undefined && processor === undefined) throw new Error(`the name ${name} contains no known platform`)
  return {
    ...(processor === undefined ? {} : { cpu: [processor] }),
    ...(system === 'linux' && libc !== undefined ? { libc: [libc] } : {}),
    ...(system === undefined ? {} : { os: [system] }),
  }
}
