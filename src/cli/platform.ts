/** Oldest Node that runs Sluice. */
const OLDEST = { major: 24, minor: 11 }

export interface Machine {
  readonly platform: NodeJS.Platform
  /** `24.21.0` */
  readonly node: string
}

/**
 * The reason that Sluice cannot run on a machine, in one sentence; null if it can. Linux on x64 and arm64 is tested.
 * Other systems run it if they have the native packages of the embedded engine, or use a hosted service.
 */
export function platformProblem({ platform, node }: Machine): string | null {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (platform === 'win32') {
    return 'Sluice does not run on Windows itself: use WSL 2 (wsl --install) or the container image'
  }
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    return `Sluice needs Node ${OLDEST.major}.${OLDEST.minor} or newer; this is ${node}. Install it from https://nodejs.org`
  }
  return null
}
