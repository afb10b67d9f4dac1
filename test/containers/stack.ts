import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerEngine } from './engine.ts'

interface Inspected {
  readonly Config: { readonly User: string }
  readonly HostConfig: { readonly ReadonlyRootfs: boolean; readonly CapDrop: readonly string[] | null }
  readonly State: { readonly StartedAt: string; readonly Health?: { readonly Status: string } }
}

/** docker-compose.yml as a project of its own. */
export class Stack {
  readonly #engine: ContainerEngine
  readonly #project: string

  constructor(engine: ContainerEngine, project: string) {
    this.#engine = engine
    this.#project = project
  }

  /** `env` is the environment of compose, such as DOCUMENTS and STORE; containers that it changes are made anew. */
  async up(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#compose(['up', '--detach', '--scale', 'worker=2'], env)
    await this.#untilHealthy()
  }

  /** `docker compose run --rm run`, as README and the compose file say. */
  async run(env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.#engine.compose([...this.#files(), 'run', '--rm', '-T', 'run'], { env })
    if (code !== 0) throw new Error(`the run ended with ${code}:\n${stdout}\n${stderr}`)
    return stdout
  }

  async hardened(): Promise<string> {
    const containers = [...(await this.#containers('worker')), ...(await this.#containers('engine'))]
    for (const container of containers) {
      const { Config, HostConfig } = await this.#inspect(container)
      if (!Config.User.startsWith('1000')) throw new Error(`${container} runs as ${JSON.stringify(Config.User)}`)
      if (!HostConfig.ReadonlyRootfs) throw new Error(`${container} has a writable root file system`)
      const effective = await this.#engine.must(['exec', container, 'sh', '-c', 'grep CapEff /proc/1/status; id -u'])
      if (!/CapEff:\s*0{16}\s+1000/.test(effective)) throw new Error(`${container} has capabilities: ${effective}`)
      const write = await this.#engine.exec(['exec', container, 'sh', '-c', 'echo x > /app/x'])
      if (write.code === 0) throw new Error(`${container} can write to /app`)
    }
    return `${containers.length} containers`
  }

  async convertsSamples(): Promise<string> {
    await this.run()
    const done = await this.#count('record.json')
    if (done !== 22) throw new Error(`${done} of 22 documents`)
    return '22 of 22'
  }

  async unchanged(): Promise<string> {
    const reported = await this.run()
    if (!/unchanged/.test(reported)) throw new Error(reported)
    return '22 unchanged'
  }

  /**
   * Restarts each service once while a run is in progress: each when a further share of `total` documents is done, as
   * `done` counts them. Fails where the run is over before the last service is back.
   */
  async survivesRestarts(
    env: Readonly<Record<string, string>>,
    total: number,
    done: () => Promise<number>,
  ): Promise<string> {
    let ended = false
    const running = this.run(env).finally(() => (ended = true))
    running.catch(() => undefined)
    const notes: string[] = []
    for (const [at, service] of (['worker', 'redis', 'engine'] as const).entries()) {
      const due = Math.ceil((total * (at + 1)) / 10)
      await this.#until(async () => ended || (await done()) >= due, 300_000, `${due} documents done`)
      const before = await done()
      const started = await this.#startedAt(service)
      if (!ended) await this.#compose(['restart', service], env)
      if (ended) await running
      if (ended)
        throw new Error(`the run was over with ${await done()} documents: ${service} did not restart in mid-run`)
      if ((await this.#startedAt(service)) === started) throw new Error(`${service} was not restarted`)
      notes.push(`${service} at ${before}`)
    }
    await running
    await this.#untilHealthy()
    if ((await done()) !== total) throw new Error(`${await done()} of ${total} documents after the restarts`)
    return `${notes.join(', ')}; ${total} of ${total} documents`
  }

  async scrapes(): Promise<string> {
    const [from = ''] = await this.#containers('engine')
    const script =
      "fetch('http://worker:9464/metrics').then((answer) => answer.text()).then((text) => console.log(text))"
    const text = await this.#engine.must(['exec', from, 'node', '-e', script])
    const series = text.split('\n').filter((line) => line.startsWith('sluice_')).length
    if (series < 20) throw new Error(`only ${series} series:\n${text.slice(0, 500)}`)
    return `${series} series`
  }

  async findsStuckProcess(): Promise<string> {
    const [worker = ''] = await this.#containers('worker')
    const script =
      'pkill() { for p in /proc/[0-9]*; do grep -q "/main[.]js" $p/cmdline 2>/dev/null && [ ${p#/proc/} != $$ ] && kill -$1 ${p#/proc/}; done; true; }; pkill '
    await this.#engine.must(['exec', worker, 'sh', '-c', `${script} STOP`])
    const began = performance.now()
    await this.#until(
      async () => (await this.#inspect(worker)).State.Health?.Status === 'unhealthy',
      120_000,
      'unhealthy',
    )
    const seconds = Math.round((performance.now() - began) / 1000)
    await this.#engine.must(['exec', worker, 'sh', '-c', `${script} CONT`])
    await this.#until(
      async () => (await this.#inspect(worker)).State.Health?.Status === 'healthy',
      60_000,
      'healthy again',
    )
    return `unhealthy after ${seconds} s, healthy again when it goes on`
  }

  async leavesNothing(before: readonly string[]): Promise<void> {
    await this.down()
    const left = (await this.volumes()).filter((name) => !before.includes(name))
    if (left.length > 0) throw new Error(`volumes are left: ${left.join(', ')}`)
    const containers = await this.#engine.must(['ps', '--all', '--quiet', '--filter', `name=${this.#project}`])
    if (containers.trim() !== '') throw new Error(`containers are left: ${containers}`)
  }

  async volumes(): Promise<string[]> {
    return (await this.#engine.must(['volume', 'ls', '--quiet'])).split('\n').filter((name) => name !== '')
  }

  async down(): Promise<void> {
    await this.#engine.compose([...this.#files(), '--profile', 'run', 'down', '--volumes', '--timeout', '20'])
  }

  #files(): string[] {
    return ['--project-name', this.#project, '--project-directory', '.', '--file', 'docker-compose.yml']
  }

  async #startedAt(service: string): Promise<string> {
    const containers = await this.#containers(service)
    const started = await Promise.all(containers.map(async (id) => (await this.#inspect(id)).State.StartedAt))
    return started.toSorted().join(' ')
  }

  async #compose(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { code, stderr } = await this.#engine.compose([...this.#files(), ...args], { env })
    if (code !== 0) throw new Error(`compose ${args.join(' ')} ended with ${code}:\n${stderr}`)
  }

  async #containers(service: string): Promise<string[]> {
    const { stdout } = await this.#engine.compose([...this.#files(), 'ps', '--quiet', service])
    return stdout.split('\n').filter((id) => id !== '')
  }

  async #inspect(container: string): Promise<Inspected> {
    const [found] = JSON.parse(await this.#engine.must(['inspect', container])) as [Inspected]
    return found
  }

  async #untilHealthy(): Promise<void> {
    for (const service of ['redis', 'engine', 'worker']) {
      for (const container of await this.#containers(service)) {
        const healthy = async (): Promise<boolean> =>
          (await this.#inspect(container)).State.Health?.Status === 'healthy'
        await this.#until(healthy, 180_000, `${service} healthy`)
      }
    }
  }

  async #until(condition: () => Promise<boolean>, limitMs: number, what: string): Promise<void> {
    const deadline = performance.now() + limitMs
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`not ${what} within ${limitMs / 1000} s`)
      await sleep(500)
    }
  }

  /** Files of a name below the documents of the volume `store`. */
  async #count(name: string): Promise<number> {
    const [worker = ''] = await this.#containers('worker')
    return Number(await this.#engine.must(['exec', worker, 'sh', '-c', `find /store/documents -name ${name} | wc -l`]))
  }
}
