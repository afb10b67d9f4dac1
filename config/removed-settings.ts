const CONTEXTS = 'docs/guide/retrieval.md has a recipe for contexts of chunks'

/** Removed settings and their replacements: a settings file that has one loads with a warning. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  contextUrl: CONTEXTS,
  contextModel: CONTEXTS,
  contextKeyFile: CONTEXTS,
  contextTokens: CONTEXTS,
  contextMaxTokens: CONTEXTS,
  contextRate: CONTEXTS,
  contextConcurrency: CONTEXTS,
  contextOptions: CONTEXTS,
  journalMb: 'a segment of the journal has 32 MiB',
  journalDelayMs: 'a write waits 4 ms for others to share its flush',
  receiptMinAgeMs: 'gc keeps receipts of the last day',
  archiveMembers: 'set members of archiveLimits',
  archiveMb: 'set mb of archiveLimits',
  archiveRatio: 'set ratio of archiveLimits',
  splitLongPdfs: 'splitLargePdfs is for both',
  llmsTxt: 'list the addresses in a file for --from-urls',
  'engine.logLevel': 'the engine logs warnings and errors',
  storeSlowMs: 'a write to the store that takes 10 s is reported',
  checksum: 'set detectChanges to content',
  refresh: 'set detectChanges to content',
  's3.inlineKb': 's3.packMs saves more requests',
  auditShare: 'sluice audit compares a sample, docs/guide/service-or-engine.md',
}
