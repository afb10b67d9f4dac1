import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { openS3Client } from '#src/s3/client.ts'
import { endProcess } from './child.ts'
import { freePorts } from './free-port.ts'
import { tempFolder } from './temp-folder.ts'
import { until } from './wait.ts'

interface CephOptions {
  readonly folder: string
  readonly clusterId: string
  /** Ports on 127.0.0.1. */
  readonly gateway: number
  readonly monitor: number
  readonly osd: number
  readonly region: string
}

/** Parts that would fill the log. */
const SILENT = ['ms', 'rgw', 'osd', 'mon', 'paxos', 'auth', 'monc', 'rocksdb', 'memstore']

/**
 * The smallest Ceph that serves S3: everything in memory, no replicas, no manager. What is not self-evident:
 * cephx stays on (without it radosgw never gets a first answer), `paxos propose interval` takes the start from twelve
 * seconds to two, `memstore page size` keeps small objects from taking 64 KiB each, and the longest object name must
 * not be lowered or keys of 1,024 bytes fail.
 */
function cephConfig(at: CephOptions): string {
  return `[global]
fsid = ${at.clusterId}
mon host = [v2:127.0.0.1:${at.monitor}/0]
public addr = 127.0.0.1
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
run dir = ${at.folder}/run
admin socket = ${at.folder}/run/$name.asok
log file = ${at.folder}/log/$name.log
mon cluster log file = ${at.folder}/log/cluster.log
pid file = ${at.folder}/run/$name.pid
crash dir = ${at.folder}/crash
keyring = ${at.folder}/keyring
auth allow insecure global id reclaim = false
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
osd crush chooseleaf type = 0
mon data avail crit = 1
mon data avail warn = 2
paxos propose interval = 0.02
paxos min wait = 0.01
${SILENT.map((part) => `debug ${part} = 0/0`).join('\n')}
ms bind msgr1 = false
ms bind port min = ${at.osd}
ms bind port max = ${at.osd + 100}
osd objectstore = memstore
memstore device bytes = 2147483648
memstore page size = 4096
osd class load list = *
osd class default list = *
osd memory target = 939524096
[mon]
mon data = ${at.folder}/mon
mon pg warn min per osd = 0
mon osd reporter subtree level = osd
mon initial members = a
[osd]
osd data = ${at.folder}/osd
[client]
rgw data = ${at.folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${at.gateway}
rgw zonegroup default location = ${at.region}
rgw run sync thread = false
rgw enable gc threads = true
rgw enable lc threads = false
rgw enable quota threads = false
rgw enable usage log = false
rgw enable ops log = false
rgw thread pool size = 64
rgw override bucket index max shards = 1
rgw dynamic resharding = false
rgw dns name =
`
}

const run = promisify(execFile)

/** Debian's packages, 61 MB to fetch. The tests install them when they may: as root, where apt-get is. */
const PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd']
const PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph-mon', 'ceph-osd', 'ceph', 'ceph-authtool', 'monmaptool', 'setpriv']

export interface S3Server extends AsyncDisposable {
  readonly kind: 'ready'
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The same as settings of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly client: S3Client
  /** Makes a bucket, by default under a name of its own. */
  readonly newBucket: (name?: string) => Promise<string>
}

/** Disposing of it does nothing. */
export interface S3Unavailable extends AsyncDisposable {
  readonly kind: 'unavailable'
  /** Why the tests that need it cannot run here, for their names. */
  readonly reason: string
}

/** A real object store of the test's own: one Ceph monitor, one OSD in memory, one radosgw, on loopback ports only. */
export async function startS3Server(): Promise<S3Server | S3Unavailable> {
  const missing = await installed()
  if (missing !== null) return { kind: 'unavailable', reason: missing, [Symbol.asyncDispose]: async () => undefined }
  const folder = await tempFolder()
  const daemons: ChildProcess[] = []
  const stop = async (): Promise<void> => {
    // Killed, not stopped: the state is thrown away, and an orderly stop takes five seconds.
    await Promise.all(daemons.map((daemon) => endProcess(daemon)))
    await folder[Symbol.asyncDispose]()
  }
  try {
    const endpoint = await start(folder.path, daemons)
    const [region, accessKeyId, secretAccessKey] = ['us-east-1', 'testkey', 'testsecret']
    const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
    const env = { SLUICE_S3_ENDPOINT: endpoint, SLUICE_S3_REGION: region, ...keys }
    const access = { endpoint, region, accessKeyId, secretAccessKey }
    const client = openS3Client(access)
    const newBucket = async (name: string = randomUUID()): Promise<string> => {
      await client.send(new CreateBucketCommand({ Bucket: name }))
      return name
    }
    const dispose = async (): Promise<void> => {
      client.destroy()
      await stop()
    }
    return { kind: 'ready', ...access, env, client, newBucket, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(folder: string, daemons: ChildProcess[]): Promise<string> {
  // The OSD takes the first free port of a range that begins with its own.
  const [gateway = 0, monitor = 0, osd = 0] = await freePorts(3)
  const config = `${folder}/ceph.conf`
  const keyring = `${folder}/keyring`
  await Promise.all(['mon', 'osd', 'rgw', 'log', 'run'].map((name) => mkdir(`${folder}/${name}`)))
  const clusterId = randomUUID()
  await writeFile(config, cephConfig({ folder, clusterId, gateway, monitor, osd, region: 'us-east-1' }))

  const tool = async (line: string): Promise<void> => {
    const [name = '', ...args] = line.split(' ')
    await run(name, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', CEPH_CONF: config }, timeout: 60_000 })
  }
  const daemon = (name: string, ...args: readonly string[]): void => {
    // They die with this process, however it ends.
    daemons.push(spawn('setpriv', ['--pdeathsig', 'KILL', name, '-c', config, ...args, '-f'], { stdio: 'ignore' }))
  }
  const map = `${folder}/monmap`
  await tool(`monmaptool --create --fsid ${clusterId} --addv a [v2:127.0.0.1:${monitor}/0] ${map}`)
  await tool(`ceph-authtool ${keyring} --create-keyring`)
  for (const [name, ...caps] of KEYS) {
    const all = caps.map((cap) => ['--cap', ...cap.split('=')])
    await run('ceph-authtool', [keyring, '--gen-key', '-n', name, ...all.flat()], { timeout: 60_000 })
  }
  await tool(`ceph-mon -i a --mkfs --monmap ${map} --keyring ${keyring}`)
  daemon('ceph-mon', '-i', 'a')
  const osdId = randomUUID()
  await tool(`ceph --connect-timeout 20 osd new ${osdId} 0`)
  await tool(`ceph-osd -i 0 --mkfs --osd-uuid ${osdId}`)
  daemon('ceph-osd', '-i', '0')
  await tool('ceph --connect-timeout 20 osd crush add 0 1.0 root=default host=h')
  await tool('radosgw-admin user create --uid=test --display-name=test --access-key=testkey --secret-key=testsecret')
  daemon('radosgw', '-n', 'client.rgw.a')
  const endpoint = `http://127.0.0.1:${gateway}`
  await until(`radosgw answers; its log is in ${folder}/log`, 30_000, () =>
    fetch(endpoint).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return endpoint
}

const KEYS: readonly (readonly [name: string, ...caps: string[]])[] = [
  ['mon.', 'mon=allow *'],
  ['client.admin', 'mon=allow *', 'osd=allow *', 'mgr=allow *'],
  ['osd.0', 'mon=allow profile osd', 'osd=allow *', 'mgr=allow profile osd'],
  ['client.rgw.a', 'mon=allow rw', 'osd=allow rwx', 'mgr=allow rw'],
]

/** Null when all is there, else the reason why it is not. */
async function installed(): Promise<string | null> {
  if (await allThere()) return null
  const command = `apt-get install --no-install-recommends ${PACKAGES.join(' ')}`
  if (process.getuid?.() !== 0) return `Ceph radosgw is not installed and only root may install it: ${command}`
  try {
    const apt = async (...args: readonly string[]): Promise<unknown> =>
      run('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args], {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' },
        timeout: 240_000,
      })
    await apt('update')
    await apt('install', '-y', '--no-install-recommends', ...PACKAGES)
  } catch (error) {
    return `Ceph radosgw cannot be installed here (${command}): ${String(error).split('\n')[0]}`
  }
  return (await allThere()) ? null : `Ceph radosgw is not whole after: ${command}`
}

async function allThere(): Promise<boolean> {
  return run('which', PROGRAMS).then(
    () => true,
    () => false,
  )
}
