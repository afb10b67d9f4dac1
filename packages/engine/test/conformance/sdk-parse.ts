import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Firecrawl } from '@mendable/firecrawl-js'

/* A program: parses one file with the vendor's SDK and prints what it got as JSON. */

const [url = '', key = '', path = '', options = '{}'] = process.argv.slice(2)
const client = new Firecrawl({ apiKey: key, apiUrl: url })
try {
  const document = await client.parse({ data: await readFile(path), filename: basename(path) }, JSON.parse(options))
  console.log(JSON.stringify({ document }))
} catch (error) {
  const { message, status, code } = error as { message: string; status?: number; code?: string }
  console.log(JSON.stringify({ error: message, status, code }))
}
