export interface CephOptions {
  readonly folder: string
  readonly clusterId: string
  /** Ports on 127.0.0.1. */
  readonly gateway: number
  readonly monitor: number
  readonly osd: number
  readonly region: string
}

/**
 * The smallest Ceph that serves S3: everything in memory, no replicas, no manager. What is not self-evident:
 * cephx stays on (without it radosgw never gets a first answer), `paxos propose interval` takes the start from twelve
 * seconds to two, `memstore page size` keeps small objects from taking 64 KiB each, and the longest object name must
 * not be lowered or keys of 1,024 bytes fail.
 */
export function cephConfig(at: CephOptions): string {
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
debug ms = 0/0
debug rgw = 0/0
debug osd = 0/0
debug mon = 0/0
debug paxos = 0/0
debug auth = 0/0
debug monc = 0/0
debug rocksdb = 0/0
debug memstore = 0/0
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
