import { clockJump } from './clock-jump.ts'
import type { FaultClass } from './fault-class.ts'
import { failover, flush, restartEmpty, rollback } from './lost-redis.ts'
import { otherMount } from './other-mount.ts'
import { partition } from './partition.ts'
import { standStill } from './stand-still.ts'
import { deletedStore, secondSource, unmountedSource, unmountedStore } from './wrong-place.ts'

/** Every class that a plan draws from, beside those of `strikes.ts`. */
export const CLASSES = {
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
} as const satisfies Record<string, FaultClass>

export type ClassName = keyof typeof CLASSES

export const isClass = (name: string): name is ClassName => Object.hasOwn(CLASSES, name)

export const CLASS_NAMES = Object.keys(CLASSES) as readonly ClassName[]
