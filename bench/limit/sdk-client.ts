import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Firecrawl } from '@mendable/firecrawl-js'
import pLimit from 'p-limit'

/*
 * node bench/limit/sdk-client.ts <url> <folder in> <folder out> <requests at once>
 *
 * The vendor's SDK behind p-limit, as its documentation shows it: what fails is lost.
 */

const [apiUrl = '', source = '', out = '', atOnce = ''] = process.argv.slice(2)
const client = new Firecrawl({ apiKey: 'bench', apiUrl })
const limit = pLimit(Number(atOnce))
let lost = 0
await mkdir(out, { recursive: true })
const names = await readdir(source)
await Promise.all(
  names.map((name) =>
    limit(async () => {
      try {
        const { markdown } = await client.parse(
          { data: await readFile(join(source, name)), filename: name, contentType: 'text/html' },
          { formats: ['markdown'] },
        )
        await writeFile(join(out, `${name}.md`), markdown ?? '')
      } catch {
        lost += 1
      }
    }),
  ),
)
console.log(`lost ${lost}`)
