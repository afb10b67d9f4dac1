import { type DoctorFinding, ok, warning } from './finding.ts'

const TESTED = ['linux x64', 'linux arm64']

export function checkMachine(): DoctorFinding[] {
  const platform = `${process.platform} ${process.arch}`
  const summary = `Node ${process.versions.node} on ${platform}`
  if (TESTED.includes(platform)) return [ok('machine', summary)]
  return [
    warning('machine', summary, `Sluice is tested on ${TESTED.join(' and ')}; elsewhere install redis-server by hand`),
  ]
}
