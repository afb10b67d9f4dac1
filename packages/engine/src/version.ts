/**
 * Engine version. Each release whose engine converts or grades documents differently increments it. Every receipt,
 * record and grade holds it. `--upgrade` parses again the documents that a lower version read differently
 * (src/document/engine-changes.ts). Releases without a version count as 1. The weights of grades belong to a single
 * version (`scripts/models/train-grade.ts --write`), and a test compares the two.
 */
export const ENGINE_VERSION = '3'
