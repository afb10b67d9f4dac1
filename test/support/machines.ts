import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A program on a machine of its own. */
export interface Machine {
  readonly name: string
  /** Resolves when it has said `text` on standard error; rejects when it ended without. */
  says(text: string): Promise<void>
  stderr(): string
  /** SIGKILL to everything that runs on the machine. */
  cutPower(): Promise<void>
}

/**
 * Machines as a test can have them: namespaces of Linux. Each has its own network, with one cable to the test, its own
 * process ids (a program is number 1 on every one of them) and its own host name. All reach the test at `hub`. They and
 * their cables are gone when their programs have ended.
 */
export interface Machines extends AsyncDisposable {
  readonly kind: 'namespaces'
  readonly hub: string
  start(name: string, command: readonly string[], env: Readonly<Record<string, string>>): Promise<Machine>
}

export interface NoMachines {
  readonly kind: 'unavailable'
  /** Why, for the name of a test that cannot run here. */
  readonly reason: string
}

export async function openMachines(): Promise<Machines | NoMachines> {
  const machines = new NamespaceMachines()
  try {
    // The hub's address is there as long as one cable is in.
    await machines.start('idle', ['sleep', 'infinity'], {})
    return machines
  } catch (error) {
    return { kind: 'unavailable', reason: `network namespaces cannot be made here: ${String(error).split('\n')[0]}` }
  }
}

/** `$1` name, `$2` own address, `$3` the hub's; the rest is what to run once the cable is in. */
const BOOT = `
hostname "$1" && echo booted && read -r plugged
ip link set lo up && ip addr add "$2" peer "$3" dev cable && ip link set cable up
shift 3
exec "$@"
`

const NAMESPACES = ['--net', '--pid', '--fork', '--kill-child', '--uts', '--mount-proc']

class NamespaceMachines implements Machines {
  readonly kind = 'namespaces'
  readonly #net = `10.213.${randomInt(256)}`
  readonly #id = randomBytes(3).toString('hex')
  readonly #started: NamespaceMachine[] = []
  readonly hub = `${this.#net}.1`

  async start(
    name: string,
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<NamespaceMachine> {
    const number = this.#started.length
    const address = `${this.#net}.${number + 2}`
    const cable = `slu${this.#id}n${number}`
    const child = spawn('unshare', [...NAMESPACES, 'sh', '-c', BOOT, 'sh', name, address, this.hub, ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env,
    })
    const machine = new NamespaceMachine(name, child)
    this.#started.push(machine)
    await machine.booted
    await run('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'cable', 'netns', String(child.pid)])
    await run('ip', ['addr', 'add', this.hub, 'peer', address, 'dev', cable])
    await run('ip', ['link', 'set', cable, 'up'])
    child.stdin.end('plugged\n')
    return machine
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((machine) => machine.cutPower()))
  }
}

class NamespaceMachine implements Machine {
  readonly name: string
  readonly booted: Promise<void>
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #closed: Promise<unknown>
  #stderr = ''

  constructor(name: string, child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.name = name
    this.#child = child
    this.#closed = once(child, 'close')
    child.stdin.on('error', () => undefined)
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    this.booted = this.#before(once(child.stdout, 'data'))
    child.stdout.resume()
  }

  stderr(): string {
    return this.#stderr
  }

  async says(text: string): Promise<void> {
    while (!this.#stderr.includes(text)) await this.#before(once(this.#child.stderr, 'data'))
  }

  async cutPower(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.#closed
  }

  async #before(event: Promise<unknown>): Promise<void> {
    const ended = await Promise.race([event.then(() => false), this.#closed.then(() => true)])
    if (ended) throw new Error(`${this.name} ended: ${this.#stderr.trim()}`)
  }
}
