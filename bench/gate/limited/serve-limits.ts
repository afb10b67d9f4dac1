import { serveDocuments } from '../serve-documents.ts'
import { LimitedService } from './limited-service.ts'
import type { LimitedPlan } from './service-plan.ts'

/*
 * node bench/gate/limited/serve-limits.ts '<plan as JSON>'
 *
 * A service of `POST /v2/parse` with the limits of a plan, in a process of its own.
 */

const service = new LimitedService(JSON.parse(process.argv[2] ?? '{}') as LimitedPlan)

serveDocuments({
  begin: () => service.begin(),
  report: () => service.report(),
  parse: (document) => service.answer(document),
})
