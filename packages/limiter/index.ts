export { type Feedback, type StatedLimit, UNSENT } from './src/feedback.ts'
export type { GateState } from './src/gate-state.ts'
export { gateDigest, openGate } from './src/open-gate.ts'
export { RedisGate } from './src/redis-gate.ts'
