import { join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import type { EngineOptions } from '@sluice/engine'
import { foldersOf } from './location.ts'
import { webNetworkOf } from './networks.ts'

const MEBIBYTE = 1024 * 1024

/** Options of the engine of `sluice engine`. */
export function engineOptionsOf(settings: Settings): EngineOptions {
  const { engineSocket, engineKeys } = settings
  return {
    ...conversionOptionsOf(settings),
    host: settings.engineHost,
    port: settings.enginePort,
    allowPrivateAddresses: settings.engineAllowPrivateAddresses,
    ...(engineSocket === undefined ? {} : { socketPath: engineSocket }),
    ...(engineKeys === undefined ? {} : { keys: engineKeys as NonNullable<EngineOptions['keys']> }),
  }
}

/**
 * Options of the engine of this process: a free port of loopback, for `key` only. Its credits cost 0 (`openSpending`).
 */
export function embeddedEngineOptionsOf(settings: Settings, key: string): EngineOptions {
  return {
    ...conversionOptionsOf(settings),
    host: '127.0.0.1',
    port: 0,
    allowPrivateAddresses: settings.allowPrivateAddresses || settings.engineAllowPrivateAddresses,
    keys: { [key]: {} },
  }
}

function conversionOptionsOf(settings: Settings): EngineOptions {
  const { engineModelUrl, engineModelKey, engineOcrLanguages, enginePasswords } = settings
  return {
    children: settings.engineProcesses,
    childMemoryBytes: settings.engineMemoryMb * MEBIBYTE,
    logLevel: 'warn',
    prices: settings.prices,
    network: webNetworkOf(settings),
    languagesFolder: join(foldersOf(settings).cache, 'ocr-languages'),
    hiddenSheets: settings.engineHiddenSheets,
    ...(engineOcrLanguages.length === 0 ? {} : { ocrLanguages: engineOcrLanguages }),
    ...(enginePasswords === undefined ? {} : { passwords: enginePasswords }),
    ...(engineModelUrl === undefined
      ? {}
      : { model: { url: engineModelUrl, name: settings.engineModelName, key: engineModelKey ?? '' } }),
  }
}
