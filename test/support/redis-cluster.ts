import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
import { endProcess } from './child.ts'
import { freePorts } from './free-port.ts'
import { spawnRedisServer } from './redis.ts'
import { tempFolder } from './temp-folder.ts'
import { until } from './wait.ts'

/** A Redis Cluster of three masters on loopback, without replicas. */
export interface TestCluster extends AsyncDisposable {
  /** What goes into REDIS_URL. */
  readonly url: string
}

const SLOTS = 16_384

export async function startTestCluster(): Promise<TestCluster> {
  const folder = await tempFolder()
  const ports = await freePorts(6)
  const nodes = [0, 1, 2].map((index) => ({ port: ports[index] ?? 0, busPort: ports[index + 3] ?? 0 }))
  const servers = await Promise.all(nodes.map((node) => startNode(node, folder.path)))
  const clients = await Promise.all(nodes.map(({ port }) => connectToNode(`redis://127.0.0.1:${port}`)))
  for (const [index, client] of clients.entries()) {
    const range = [Math.ceil((index * SLOTS) / 3), Math.ceil(((index + 1) * SLOTS) / 3) - 1]
    await client.call('CLUSTER', ['ADDSLOTSRANGE', ...range.map(String)])
    await client.call('CLUSTER', ['SET-CONFIG-EPOCH', String(index + 1)])
  }
  for (const { port, busPort } of nodes.slice(1)) {
    await clients[0]?.call('CLUSTER', ['MEET', '127.0.0.1', String(port), String(busPort)])
  }
  await until('the cluster is formed', 20_000, async () => {
    const infos = await Promise.all(clients.map((client) => client.call('CLUSTER', ['INFO'])))
    return infos.every((info) => /cluster_state:ok/.test(String(info)) && /cluster_known_nodes:3/.test(String(info)))
  })
  for (const client of clients) client.disconnect()
  return {
    url: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => endProcess(server)))
      await folder[Symbol.asyncDispose]()
    },
  }
}

async function connectToNode(url: string): Promise<RedisConnection> {
  const found: RedisConnection[] = []
  await until(`${url} is up`, 20_000, async () => {
    await connectRedis({ url }).then(
      (connection) => found.push(connection),
      () => undefined,
    )
    return found.length > 0
  })
  return found[0] as RedisConnection
}

async function startNode(node: { readonly port: number; readonly busPort: number }, folder: string) {
  const dir = join(folder, String(node.port))
  await mkdir(dir)
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(node.busPort)]
  return spawnRedisServer(['--port', String(node.port), '--bind', '127.0.0.1', '--save', '', '--dir', dir, ...cluster])
}
