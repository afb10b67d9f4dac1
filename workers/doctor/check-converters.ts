import { checkConverters as loadConverters } from '#src/engine/children/check-converters.ts'
import { type DoctorFinding, ok, problem } from './finding.ts'

/** Whether the converters and their native parts load, and OCR has its data. */
export async function checkConverters(): Promise<DoctorFinding[]> {
  try {
    await loadConverters()
    return [ok('converters', 'all load; OCR languages: eng, others when a page needs them')]
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return [problem('converters', message, 'install again: npm install (or npm ci) with optional packages')]
  }
}
