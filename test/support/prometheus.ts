import { execFile, spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { endProcess } from './child.ts'
import { freePort } from './free-port.ts'
import { tempFolder } from './temp-folder.ts'
import { until } from './wait.ts'

const run = promisify(execFile)

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/prometheus')

/** For the download of the package, 19 MB. */
const DOWNLOAD_MS = 40_000

const IMPATIENT = ['-o', 'APT::Sandbox::User=', '-o', 'Acquire::http::Timeout=10', '-o', 'Acquire::Retries=0']

export interface PrometheusPrograms {
  readonly prometheus: string
  readonly promtool: string
}

/**
 * Programs of the PATH, else those of Debian's package, unpacked once into the cache of `node_modules`; a text that says
 * why there are none. Needs neither root nor a system-wide installation.
 */
export async function findPrometheus(): Promise<PrometheusPrograms | string> {
  const onPath = await run('sh', ['-c', 'command -v prometheus promtool']).catch(() => null)
  const [prometheus, promtool] = onPath?.stdout.trim().split('\n') ?? []
  if (prometheus !== undefined && promtool !== undefined) return { prometheus, promtool }
  const cached = { prometheus: join(CACHE, 'usr/bin/prometheus'), promtool: join(CACHE, 'usr/bin/promtool') }
  const isCached = (): Promise<boolean> =>
    access(cached.prometheus).then(
      () => true,
      () => false,
    )
  if (await isCached()) return cached
  await mkdir(resolve(CACHE, '..'), { recursive: true })
  const fetched = await mkdtemp(`${CACHE}.`)
  try {
    await run('apt-get', ['-q', ...IMPATIENT, 'download', 'prometheus'], {
      cwd: fetched,
      timeout: DOWNLOAD_MS,
    })
    const [deb = ''] = (await readdir(fetched)).filter((name) => name.endsWith('.deb'))
    await run('dpkg-deb', ['-x', join(fetched, deb), join(fetched, 'unpacked')])
    await rename(join(fetched, 'unpacked'), CACHE).catch(() => undefined)
    return (await isCached()) ? cached : "Debian's package of Prometheus does not hold its programs"
  } catch (error) {
    return `no Prometheus on the PATH, and none from Debian: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}`
  } finally {
    await rm(fetched, { recursive: true, force: true })
  }
}

/** One series of an instant query. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Alert {
  readonly name: string
  readonly state: 'pending' | 'firing'
  readonly labels: Readonly<Record<string, string>>
}

/** Every value of a series that was scraped, the oldest first, with the time of its scrape in epoch seconds. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly scrapes: readonly { readonly at: number; readonly value: number }[]
}

/** A real Prometheus that scrapes processes on loopback every half second, unless asked otherwise. */
export interface RunningPrometheus extends AsyncDisposable {
  /** Throws when the expression is refused. */
  query(expression: string): Promise<readonly Sample[]>
  /** What was scraped in the last hour. */
  series(selector: string): Promise<readonly Series[]>
  alerts(): Promise<readonly Alert[]>
  /** Scrapes these ports from now on; a target that is left out is forgotten, as one that DNS no longer names. */
  retarget(ports: readonly number[]): Promise<void>
}

export interface PrometheusOptions {
  /** Ports of the processes, scraped as the job `sluice`. */
  readonly ports: readonly number[]
  /** Text of a file of rules. */
  readonly rules?: string
  /** As Prometheus writes it; also how long a scrape may take. */
  readonly interval?: string
}

export async function startPrometheus(
  programs: PrometheusPrograms,
  { ports, rules, interval = '500ms' }: PrometheusOptions,
): Promise<RunningPrometheus> {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const config = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: rules === undefined ? [] : ['rules.yml'],
    scrape_configs: [{ job_name: 'sluice', file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }] }],
  }
  const retarget = async (to: readonly number[]): Promise<void> => {
    const path = join(folder.path, 'targets.json')
    await writeFile(`${path}.new`, JSON.stringify([{ targets: to.map((each) => `127.0.0.1:${each}`) }]))
    await rename(`${path}.new`, path)
  }
  await retarget(ports)
  // JSON is YAML.
  await writeFile(join(folder.path, 'prometheus.yml'), JSON.stringify(config))
  if (rules !== undefined) await writeFile(join(folder.path, 'rules.yml'), rules)
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const flags = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=${address}`]
  const child = spawn(programs.prometheus, [...flags, '--log.level=error'], { cwd: folder.path, stdio: 'ignore' })
  resources.defer(() => endProcess(child))
  const get = async (path: string): Promise<unknown> => {
    const answer = (await (await fetch(`http://${address}/api/v1/${path}`)).json()) as Answer
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error ?? 'refused'}`)
    return answer.data
  }
  await until('Prometheus is ready', 30_000, () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const kept = resources.move()
  return {
    query: async (expression) => {
      const { result } = (await get(`query?query=${encodeURIComponent(expression)}`)) as InstantVector
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
    },
    series: async (selector) => {
      const { result } = (await get(`query?query=${encodeURIComponent(`${selector}[1h]`)}`)) as RangeVector
      return result.map(({ metric, values }) => ({
        labels: metric,
        scrapes: values.map(([at, value]) => ({ at, value: Number(value) })),
      }))
    },
    alerts: async () => {
      const { alerts } = (await get('alerts')) as { readonly alerts: readonly RawAlert[] }
      return alerts.map(({ labels, state }) => ({ name: labels['alertname'] ?? '', state, labels }))
    },
    retarget,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

interface Answer {
  readonly status: 'success' | 'error'
  readonly data?: unknown
  readonly error?: string
}

interface InstantVector {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>
    readonly value: readonly [at: number, value: string]
  }[]
}

interface RangeVector {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>
    readonly values: readonly (readonly [at: number, value: string])[]
  }[]
}

interface RawAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly state: 'pending' | 'firing'
}
