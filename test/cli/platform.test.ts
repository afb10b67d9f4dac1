import { expect, test } from 'vitest'
import { platformProblem } from '../../src/cli/platform.ts'

test.each([
  ['linux', '24.11.0', null],
  ['darwin', '26.0.0', null],
  ['freebsd', '24.21.0', null],
  ['linux', '24.10.9', 'Sluice needs Node 24.11 or newer; this is 24.10.9'],
  ['darwin', '22.20.0', 'Sluice needs Node 24.11 or newer; this is 22.20.0'],
  ['win32', '24.21.0', 'Sluice does not run on Windows itself: use WSL 2'],
] as const)('the platform check decides whether Sluice runs on %s with Node %s', (platform, node, problem) => {
  const reported = platformProblem({ platform, node })
  if (problem === null) expect(reported).toBeNull()
  else expect(reported).toMatch(new RegExp(`^${problem}.*$`))
})
