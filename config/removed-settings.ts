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
  journalMb: 'journal segments have a fixed size of 32 MiB',
  journalDelayMs: 'writes wait 4 ms to share a flush',
  receiptMinAgeMs: 'gc keeps receipts that were used in the last day',
  archiveMembers: 'set archiveLimits.members',
  archiveMb: 'set archiveLimits.mb',
  archiveRatio: 'set archiveLimits.ratio',
  splitLongPdfs: 'splitLargePdfs covers long PDFs too',
  llmsTxt: 'list the addresses in a file for --from-urls',
  'engine.logLevel': 'the engine always logs warnings and errors',
  storeSlowMs: 'Sluice reports writes to the store that take 10 s',
  checksum: 'set detectChanges to content',
  refresh: 'set detectChanges to content',
  's3.inlineKb': 'set s3.packMs',
  auditShare: 'use sluice audit (docs/guide/service-or-engine.md)',
}
