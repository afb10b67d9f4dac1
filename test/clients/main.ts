import { createEngine } from '@sluice/engine'
import { GeneratedSite } from '../support/generated-site.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { CHECKS, NOT_TRIED } from './checks.ts'
import { installClients } from './install.ts'

/*
 * npm run test:clients: the vendor's clients, as npm gives them, against our engine. Prints a line for each thing that a
 * client does, and exits with 1 when one does not work. Needs the registry the first time; nothing else leaves this machine.
 * `npm run test:clients -- WORD`: only what WORD occurs in.
 */

const only = process.argv[2]
const installed = await installClients().catch((error: unknown) => {
  console.log(`\n${(error as Error).message}`)
  process.exit(1)
})
const home = await tempFolder()
const key = 'fc-clients-test-key'
const engine = await createEngine({ children: 2, keys: { [key]: { credits: 10_000 } }, allowPrivateAddresses: true })
const site = await GeneratedSite.open({ seed: 7, pages: 40 })
let failed = 0
// The site refuses some pages once or twice for their rate; these clients do not try again.
for (const url of [...site.reachable, ...site.reachable]) await (await fetch(url)).text()
try {
  for (const { client, does, run } of CHECKS) {
    if (only !== undefined && !`${client} ${does}`.includes(only)) continue
    const began = performance.now()
    const problem = await run({ installed, home: home.path, url: engine.url, key, site }).catch((error: unknown) =>
      String(error),
    )
    if (problem !== null) failed += 1
    console.log(
      `${problem === null ? 'works ' : 'FAILS '} ${client.padEnd(30)} ${does} (${((performance.now() - began) / 1000).toFixed(1)} s)`,
    )
    if (problem !== null) console.log(problem.replace(/^/gm, '       '))
  }
} finally {
  await engine[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
}
console.log(`not tried: ${NOT_TRIED}`)
console.log(failed === 0 ? 'all work' : `${failed} do not work`)
process.exitCode = failed === 0 ? 0 : 1
