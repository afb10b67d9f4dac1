import type { Failure, FailureCode } from '#src/document/failure.ts'

/**
 * Limits of an archive (`--archive-limits`). An archive over any of them is refused as a unit: a partial listing would
 * drop documents silently.
 */
export interface ArchiveLimits {
  readonly mostMembers: number
  /** Total unpacked size of all members. */
  readonly mostBytes: number
  /** Maximum ratio of unpacked to packed size. Text has 10 to 1; a far higher ratio is a zip bomb. */
  readonly mostRatio: number
}

/** Threshold of unpacked bytes below which the ratio does not matter. */
const RATIO_FROM_BYTES = 10 * 1024 * 1024

/** The archive cannot serve as a source of documents. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused' as const
  readonly failure: Failure

  constructor(code: FailureCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.failure = { code, stage: 'read', message }
  }
}

/** Throws `ArchiveRefused` if the unpacked data so far exceed a limit. */
export function checkLimits(
  limits: ArchiveLimits,
  of: {
    readonly name: string
    readonly packedBytes: number
    readonly members: number
    /** Unpacked bytes of the outermost archive. */
    readonly bytes: number
    /** Unpacked bytes of this archive. */
    readonly grown: number
  },
): void {
  const refuse = (what: string, setting: string): never => {
    const remedy = `Unpack it yourself, or raise ${setting} of --archive-limits.`
    throw new ArchiveRefused('too_large', `${JSON.stringify(of.name)} ${what}. ${remedy}`)
  }
  if (of.members > limits.mostMembers) refuse(`holds more than ${limits.mostMembers} members`, 'members')
  const mebibytes = Math.round(limits.mostBytes / 1024 ** 2)
  if (of.bytes > limits.mostBytes) refuse(`unpacks to more than ${mebibytes} MiB`, 'mb')
  const ratio = of.grown / Math.max(1, of.packedBytes)
  if (of.grown > RATIO_FROM_BYTES && ratio > limits.mostRatio)
    refuse(`unpacks to more than ${limits.mostRatio} times its size`, 'ratio')
}
