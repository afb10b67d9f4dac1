// usage: runtimes.ts FOLDER   Packs ONNX Runtime as one npm package per platform, from `onnxruntime-node`. Omits the
// builds for other platforms (243 of 288 MB), and the install script. The script downloads GPU files and fails if NuGet
// is unreachable.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const RUNTIME = 'onnxruntime-node'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** Requirements of the runtime's builds on a machine. */
const PLATFORMS = {
  'linux-x64': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'linux-arm64': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
  'darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
} as const

/** The program imports them by this name (scripts/bundle-program.ts). Their version is that of the release. */
export const RUNTIME_PACKAGES = Object.keys(PLATFORMS).map((platform) => `sluice-onnxruntime-${platform}`)

export async function packRuntimes(out: string): Promise<void> {
  const { version } = await readJson<Manifest>(join(ROOT, 'package.json'))
  const staging = await mkdtemp(join(tmpdir(), 'sluice-runtimes-'))
  try {
    const whole = await unpackRuntime(staging)
    const { dependencies } = await readJson<Manifest>(join(whole, 'package.json'))
    for (const [platform, machine] of Object.entries(PLATFORMS)) {
      const folder = join(staging, platform)
      const builds = join('bin/napi-v6', machine.os[0], machine.cpu[0])
      await mkdir(folder)
      await cp(join(whole, 'dist'), join(folder, 'dist'), { recursive: true })
      // The build for macOS is there twice, under two names; the binding loads the shorter one.
      const isWanted = (path: string): boolean => !/\.\d+\.\d+\.\d+\.dylib$/.test(path)
      await cp(join(whole, builds), join(folder, builds), { recursive: true, filter: isWanted })
      await cp(join(import.meta.dirname, 'onnxruntime-licence.txt'), join(folder, 'LICENSE'))
      const manifest = {
        name: `sluice-onnxruntime-${platform}`,
        version,
        description: `ONNX Runtime for Sluice on ${platform}: ${RUNTIME} without its install script and its builds for other platforms`,
        license: 'MIT',
        main: 'dist/index.js',
        ...machine,
        dependencies: { 'onnxruntime-common': dependencies['onnxruntime-common'] },
      }
      await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
      npm(['pack', folder, '--pack-destination', out])
    }
  } finally {
    await rm(staging, { recursive: true })
  }
}

/** The package in the lock file: a checkout keeps the builds for its platform only. */
async function unpackRuntime(staging: string): Promise<string> {
  const { packages } = await readJson<{
    readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>
  }>(join(ROOT, 'package-lock.json'))
  const locked = packages[`node_modules/${RUNTIME}`]
  if (locked === undefined) throw new Error(`package-lock.json does not list ${RUNTIME}`)
  npm(['pack', `${RUNTIME}@${locked.version}`, '--prefer-offline', '--pack-destination', staging])
  const tarball = join(staging, `${RUNTIME}-${locked.version}.tgz`)
  const integrity = `sha512-${createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64')}`
  if (integrity !== locked.integrity) throw new Error(`the digest of ${RUNTIME} differs from that in package-lock.json`)
  execFileSync('tar', ['-xzf', tarball, '-C', staging])
  return join(staging, 'package')
}

const readJson = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T

function npm(args: readonly string[]): void {
  execFileSync('npm', [...args, '--silent'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
}

if (import.meta.main) await packRuntimes(resolve(process.argv[2] ?? '.'))
