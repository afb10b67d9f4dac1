const CONTEXTS = 'contexts of chunks are a recipe now, docs/cookbook.md'

/** Settings of earlier releases with what replaces them: a settings file that has one is read all the same. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  contextUrl: CONTEXTS,
  contextModel: CONTEXTS,
  contextKeyFile: CONTEXTS,
  contextTokens: CONTEXTS,
  contextMaxTokens: CONTEXTS,
  contextRate: CONTEXTS,
  contextConcurrency: CONTEXTS,
  contextOptions: CONTEXTS,
  auditShare: 'sluice audit measures a sample, docs/audit.md',
}
