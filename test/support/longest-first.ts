import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes minutes, then what takes many seconds. */
const LONG = [
  'test/faults/faults',
  'test/faults/',
  'test/gate/real-workers',
  'test/e2e/run',
  'test/conformance/s3',
  'test/e2e/',
  'test/engine/fuzz',
]

/**
 * Begins with what takes long, so that nothing of it is left alone at the end. In a fresh clone no durations are known,
 * and files would go by their size: fifty runs of the fault campaign are ten lines.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((part) => moduleId.includes(part))
  return place === -1 ? LONG.length : place
}
