import { readFile } from 'node:fs/promises'
import { describeSystemError } from '#src/document/describe-system-error.ts'
import { AUDIT_SCHEMA, type AuditFile } from '#src/route/audit/audit-file.ts'
import { UsageError } from './usage-error.ts'

/** What `sluice audit` wrote; refused in one sentence where it is something else. */
export async function readAudit(path: string): Promise<AuditFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--audit ${path}: ${describeSystemError(error) ?? String(error)}`, { cause: error })
  })
  const file = parsed(text)
  if (file === null || !Array.isArray(file.sample)) {
    throw new UsageError(`--audit ${path}: this is no audit.json of sluice audit`)
  }
  if (file.schema === AUDIT_SCHEMA) return file as AuditFile
  throw new UsageError(
    `--audit ${path}: written by another release of Sluice (schema ${String(file.schema)}); audit again`,
  )
}

function parsed(text: string): Partial<AuditFile> | null {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
