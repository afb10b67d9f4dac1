import { configureGlobal, readConfigureGlobal } from 'fast-check'

export * from 'fast-check'

/** `FC_SEED=-12` draws the cases of a failed property again: the failure names its seed. */
const seed = process.env['FC_SEED']
if (seed !== undefined) configureGlobal({ ...readConfigureGlobal(), seed: Number(seed) })
