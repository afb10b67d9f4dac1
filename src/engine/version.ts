/**
 * Raised by one with each release whose engine makes something else of documents. It stands in every receipt and
 * record; `--upgrade` parses again what a lower one did. Releases that kept no version count as 1.
 */
export const ENGINE_VERSION = '2'
