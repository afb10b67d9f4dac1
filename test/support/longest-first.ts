import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { SLOW_FILES } from './slow-files.ts'

/** What takes many seconds. */
const LONG = ['test/e2e/run', 'test/conformance/s3', 'test/e2e/', 'test/outages/', 'packages/engine/test/fuzz']

/**
 * Begins with what takes long, so that nothing of it is left alone at the end. In a fresh clone no durations are known,
 * and files would go by their size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return byRank(await super.sort(files), LONG)
  }
}

/** The slow files in the order of their list. */
export class InThisOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return byRank(files, SLOW_FILES)
  }
}

function byRank(files: readonly TestSpecification[], parts: readonly string[]): TestSpecification[] {
  const rank = ({ moduleId }: TestSpecification): number => {
    const index = parts.findIndex((part) => moduleId.includes(part))
    return index === -1 ? parts.length : index
  }
  return files.toSorted((one, other) => rank(one) - rank(other))
}
