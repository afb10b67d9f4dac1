/**
 * What decides which receipts satisfy which runs: the engine that comes with Sluice, a service behind an address, or
 * `passthrough`: Sluice itself, for texts that need no parser.
 */
export const PARSER_CLASSES = ['embedded', 'service', 'passthrough'] as const

export type ParserClass = (typeof PARSER_CLASSES)[number]
