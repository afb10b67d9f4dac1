export { creditsFor, DEFAULT_PRICES, FREE, type PriceModel } from '#src/contract/price.ts'
