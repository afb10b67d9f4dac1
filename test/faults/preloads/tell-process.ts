import { channel } from 'node:diagnostics_channel'

/* Loaded before the program: every request names the process that sends it. */

const CREATED = 'undici:request:create'

interface Created {
  readonly request: { addHeader(name: string, value: string): unknown }
}

channel(CREATED).subscribe((message) => {
  const { request } = message as Created
  request.addHeader('x-process', String(process.pid))
})
