import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { errorReply, parsedReply, startScriptedService } from './scripted-service.ts'

const send = (url: string, text: string): Promise<Response> => {
  const form = new FormData()
  form.append('options', '{"timeout":1000}')
  form.append('file', new Blob([text]), 'a.pdf')
  return fetch(`${url}/v2/parse`, { method: 'POST', body: form })
}

test('the scripted service remembers the parts it received and whom it charged', async () => {
  await using service = await startScriptedService({ answers: [errorReply(503, 'down'), parsedReply('# Hi')] })
  const [first, second] = [await send(service.url, 'one'), await send(service.url, 'one')]
  expect([first.status, second.status]).toEqual([503, 200])
  expect(await second.json()).toMatchObject({ success: true, data: { markdown: '# Hi' } })
  expect(service.requests[0]).toMatchObject({
    path: '/v2/parse',
    options: { timeout: 1000 },
    file: { filename: 'a.pdf' },
  })
  expect([...service.charges]).toEqual([[createHash('sha256').update('one').digest('hex'), 1]])
})

test('the scripted service cuts the connection where its script requires', async () => {
  const faults = ['reset_before', 'reset_after', 'reset_middle'] as const
  await using service = await startScriptedService({ answers: faults.map((fault) => ({ fault })) })
  for (const _ of faults)
    await expect(send(service.url, 'x').then((answer) => answer.text())).rejects.toThrow(/fetch failed|terminated/)
  expect(service.charged).toBe(2)
})
