/**
 * Class of parser, which decides the receipts that satisfy a run: the embedded engine, a service behind an address, or
 * `passthrough`, which is Sluice itself for texts that need no parser.
 */
export const PARSER_CLASSES = ['embedded', 'service', 'passthrough'] as const

export type ParserClass = (typeof PARSER_CLASSES)[number]
