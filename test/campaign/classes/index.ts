import { clockJump } from './clock-jump.ts'
import { blindGc, damagedRecords } from './damaged-store.ts'
import type { FaultClass } from './fault-class.ts'
import { fullDisk } from './full-disk.ts'
import { failover, flush, restartEmpty, rollback } from './lost-redis.ts'
import { maintenance } from './maintenance.ts'
import { otherMount } from './other-mount.ts'
import { converterMissing, downloadHangs, engineKilled } from './own-programs.ts'
import { partition } from './partition.ts'
import { PLANNED_FAULTS, PROCESS_FAULTS } from './processes.ts'
import { s3Hangs } from './s3-hangs.ts'
import { serviceAway, wrongAddress } from './service-out.ts'
import { doubleSignal } from './signals.ts'
import { pausedCommit, standStill } from './stand-still.ts'
import { storeFull, storeHangs, storeReadOnly, storeVanishes } from './store-out.ts'
import { twoQueues } from './two-queues.ts'
import { deletedStore, secondSource, unmountedSource, unmountedStore } from './wrong-path.ts'

/** Every class that a plan draws from: a seed draws by the order of these rows. */
const DRAWN = {
  ...PROCESS_FAULTS,
  flush,
  'restart-empty': restartEmpty,
  rollback,
  failover,
  partition,
  'stand-still': standStill,
  'clock-jump': clockJump,
  'second-source': secondSource,
  'unmounted-store': unmountedStore,
  'deleted-store': deletedStore,
  'unmounted-source': unmountedSource,
  'other-mount': otherMount,
  'service-away': serviceAway,
  'wrong-address': wrongAddress,
  'store-full': storeFull,
  'store-read-only': storeReadOnly,
  'store-hangs': storeHangs,
  'store-vanishes': storeVanishes,
  's3-hangs': s3Hangs,
  maintenance,
  'engine-killed': engineKilled,
  'converter-missing': converterMissing,
  'download-hangs': downloadHangs,
  'paused-commit': pausedCommit,
  'damaged-records': damagedRecords,
  'blind-gc': blindGc,
  'double-signal': doubleSignal,
  'two-queues': twoQueues,
  'full-disk': fullDisk,
} as const satisfies Record<string, FaultClass>

export const CLASSES = { ...DRAWN, ...PLANNED_FAULTS }

export type FaultKind = keyof typeof CLASSES

export const FAULTS = Object.keys(DRAWN) as readonly (keyof typeof DRAWN)[]
