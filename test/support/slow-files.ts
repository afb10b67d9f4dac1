/**
 * Test files that take minutes or that measure what a busy machine cannot do: `npm run test:slow` runs them one after another,
 * `.ci/run` runs both. `npm test` leaves them out, so that it stays under four minutes on two cores.
 */
export const SLOW_FILES = [
  'test/gate/real-workers.test.ts',
  'test/surroundings/lost-redis.test.ts',
  'test/surroundings/sentinel.test.ts',
  'test/surroundings/service.test.ts',
  'test/surroundings/engine.test.ts',
  'test/surroundings/stop-and-network.test.ts',
  'test/queue/deadly-document.test.ts',
  'test/ingest/refused-first.test.ts',
  'test/engine/abuse/abuse.test.ts',
  'test/engine/fuzz/multipart.test.ts',
  'test/engine/conformance/vendor-statements.test.ts',
  'test/e2e/schedule.test.ts',
  'test/e2e/secrets.test.ts',
  'test/e2e/machines.test.ts',
  'test/e2e/store-identity.test.ts',
  'test/e2e/upgrade.test.ts',
  'test/e2e/website.test.ts',
  'test/scripts/release.test.ts',
  'test/e2e/upgrade-s3.test.ts',
  'test/faults/faults.test.ts',
  'test/faults/mutants.test.ts',
  'test/faults/s3-faults.test.ts',
]
