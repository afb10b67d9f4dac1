import { type DoctorFinding, ok, warning } from './finding.ts'

const TESTED = ['linux x64', 'linux arm64']

export function checkMachine(): DoctorFinding[] {
  const platform = `${process.platform} ${process.arch}`
  const told = `Node ${process.versions.node} on ${platform}`
  if (TESTED.includes(platform)) return [ok('machine', told)]
  return [
    warning('machine', told, `Sluice is tested on ${TESTED.join(' and ')}; elsewhere install redis-server by hand`),
  ]
}
