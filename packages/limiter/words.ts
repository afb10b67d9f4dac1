export { gateLine, gateParts, timeOfDay, waitsUntil } from './src/gate-line.ts'
