const CONTEXTS = 'docs/cookbook.md has a recipe for contexts of chunks'

/** Settings of earlier releases with their replacement: a settings file that has one is read with a warning. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  contextUrl: CONTEXTS,
  contextModel: CONTEXTS,
  contextKeyFile: CONTEXTS,
  contextTokens: CONTEXTS,
  contextMaxTokens: CONTEXTS,
  contextRate: CONTEXTS,
  contextConcurrency: CONTEXTS,
  contextOptions: CONTEXTS,
  auditShare: 'sluice audit compares a sample, docs/audit.md',
}
