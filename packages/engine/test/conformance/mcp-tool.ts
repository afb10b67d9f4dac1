import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

interface RpcAnswer {
  readonly id?: number
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] }
  readonly error?: { readonly message: string }
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'conformance', version: '1' },
}

/** Starts an MCP server on its standard streams, calls one tool, and gives its text back or that of its error. */
export async function toolAnswer(
  program: string,
  env: Readonly<Record<string, string>>,
  name: string,
  args: object,
): Promise<{ readonly isError: boolean; readonly text: string }> {
  const all = { PATH: process.env['PATH'], ...env }
  const server = spawn(process.execPath, [program], { env: all, stdio: ['pipe', 'pipe', 'ignore'] })
  const send = (message: object): boolean => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  try {
    send({ id: 1, method: 'initialize', params: INITIALIZE })
    for await (const line of createInterface(server.stdout)) {
      const { id, result, error } = JSON.parse(line) as RpcAnswer
      if (id === 1) {
        send({ method: 'notifications/initialized' })
        send({ id: 2, method: 'tools/call', params: { name, arguments: args } })
      }
      if (id !== 2) continue
      const text = result?.content?.map((part) => part.text).join('\n') ?? error?.message ?? ''
      return { isError: result?.isError === true || error !== undefined, text }
    }
    return { isError: true, text: 'the MCP server ended without an answer' }
  } finally {
    server.kill('SIGKILL')
  }
}
