import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { errorReply, type ReceivedRequest } from '../support/scripted-service.ts'
import { sluice, STACK_TRACE } from '../support/sluice.ts'
import { OwnRedis } from './support/own-redis.ts'
import { ask, expectSeen } from './support/four-channels.ts'
import { Harness } from './support/harness.ts'
import { until } from '../support/wait.ts'
import { wrongAddress } from '../campaign/service/wrong-addresses.ts'

const EXIT_HALTED = 3

const WAYS = ['nothing listens', 'unknown host', 'self-signed certificate'] as const

describe.concurrent('a service that cannot be used', () => {
  test.each(WAYS)(
    '(%s) is reported on the terminal, in the log, a metric and readiness, and halts the run with 3',
    async (way) => {
      await using service = await wrongAddress(way)
      await using redis = await OwnRedis.start()
      await using harness = await Harness.open({ documents: 5 })
      const metricsPort = await freePort()
      const running = harness.start('run', {
        'parse-api-url': service.url,
        'redis-url': redis.url,
        'metrics-port': metricsPort,
        'service-patience-ms': 12_000,
      })
      const { cause } = service
      const metric = /sluice_dependency_up\{dependency="service"\} 0/
      await expectSeen({ running, log: harness.log, metricsPort }, cause, metric)
      const { code, stdout, stderr } = await running.finished
      expect(stderr).not.toMatch(STACK_TRACE)
      expect([code, stdout]).toEqual([
        EXIT_HALTED,
        expect.stringMatching(/^halted: .* has not answered for 12 s: No answer/),
      ])
      expect(stdout).toMatch(cause)
      const log = await readFile(harness.log, 'utf8')
      expect(log.match(/"dependency unavailable"/g)).toHaveLength(1)
      const status = await sluice(['status', harness.source, `--out=${harness.out}`, `--redis-url=${redis.url}`])
      expect(status.stdout).toMatch(cause)
    },
    240_000,
  )

  test('that answers 500 is reported with its text, and does not halt the run after a success', async () => {
    let broken = false
    await using harness = await Harness.open({
      documents: 30,
      reply: () => (broken ? errorReply(500, 'the disk of the parser is full') : { delayMs: 30 }),
    })
    const metricsPort = await freePort()
    const running = harness.start('run', { 'metrics-port': metricsPort, concurrency: 2, 'service-patience-ms': 3_000 })
    await harness.requested(4, running)
    broken = true
    const cause = /the disk of the parser is full/
    await expectSeen(
      { running, log: harness.log, metricsPort },
      cause,
      /sluice_dependency_up\{dependency="service"\} 0/,
    )
    broken = false
    const { code, stderr } = await running.finished
    expect(stderr).toMatch(/the service works again/)
    expect(code).toBe(0)
    await harness.expectAllPaidOnce(30)
  }, 240_000)

  test('for one process is no longer reported after another process ends its document', async () => {
    await using redis = await OwnRedis.start()
    const isFirst = ({ options }: ReceivedRequest): boolean => options?.['origin'] === 'first'
    const reply = (request: ReceivedRequest) => (isFirst(request) ? errorReply(500, 'out of order') : {})
    await using harness = await Harness.open({ documents: 1, reply })
    const start = (name: string, port: number) =>
      harness.start('watch', {
        'redis-url': redis.url,
        'metrics-port': port,
        'log-file': `${harness.log}-${name}`,
        'log-level': 'debug',
        options: JSON.stringify({ origin: name }),
      })
    const ports = { first: await freePort(), second: await freePort() }
    const reported = async (name: string): Promise<string> => readFile(`${harness.log}-${name}`, 'utf8').catch(() => '')
    const first = start('first', ports.first)
    await until('it waits in the queue', 20_000, async () =>
      (await reported('first')).includes('document returned to the queue'),
    )
    // While it stands still it takes no document; its metrics still say what it met when it goes on.
    first.child.kill('SIGSTOP')
    start('second', ports.second)
    await until('the second ends it', 20_000, async () => (await reported('second')).includes('document settled'))
    first.child.kill('SIGCONT')
    await until('the first noticed', 20_000, async () => (await reported('first')).includes('dependency unavailable'))
    await until('and is ready again', 20_000, async () => (await ask(ports.first, 'readyz')).status === 200)
    expect(await reported('first')).toContain('dependency works again')
    const up = 'sluice_dependency_up{dependency="service"} 1'
    await until('so its metrics say', 20_000, async () => (await ask(ports.first, 'metrics')).body.includes(up))
  }, 240_000)
})
