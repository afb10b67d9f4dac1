import type { Failure, FailureCode } from '#src/document/failure.ts'

/** What an archive may hold (`--archive-limits`). Beyond any of them it is refused whole: half an archive would be silence. */
export interface ArchiveLimits {
  readonly mostMembers: number
  /** Of all members together, unpacked. */
  readonly mostBytes: number
  /** Unpacked against packed. Text packs 10 to 1; what packs far better is made to fill disks. */
  readonly mostRatio: number
}

/** Small archives may pack as well as they like. */
const RATIO_FROM_BYTES = 10 * 1024 * 1024

/** An archive that cannot be taken as a source of documents. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused' as const
  readonly failure: Failure

  constructor(code: FailureCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.failure = { code, stage: 'read', message }
  }
}

/** Throws `ArchiveRefused` when what has been unpacked so far is too much. */
export function checkLimits(
  limits: ArchiveLimits,
  of: { readonly name: string; readonly packedBytes: number; readonly members: number; readonly bytes: number },
): void {
  const refuse = (what: string, setting: string): never => {
    const remedy = `Unpack it yourself, or raise ${setting} of --archive-limits.`
    throw new ArchiveRefused('too_large', `${JSON.stringify(of.name)} ${what}. ${remedy}`)
  }
  if (of.members > limits.mostMembers) refuse(`holds more than ${limits.mostMembers} members`, 'members')
  const mebibytes = Math.round(limits.mostBytes / 1024 ** 2)
  if (of.bytes > limits.mostBytes) refuse(`unpacks to more than ${mebibytes} MiB`, 'mb')
  const ratio = of.bytes / Math.max(1, of.packedBytes)
  if (of.bytes > RATIO_FROM_BYTES && ratio > limits.mostRatio)
    refuse(`unpacks to more than ${limits.mostRatio} times its size`, 'ratio')
}
