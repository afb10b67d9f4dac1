/**
 * Class of parser, which decides the receipts that satisfy a run. `embedded`: the embedded engine; `service`: a service
 * at an address; `passthrough`: Sluice itself, for texts that need no parser.
 */
export const PARSER_CLASSES = ['embedded', 'service', 'passthrough'] as const

export type ParserClass = (typeof PARSER_CLASSES)[number]
