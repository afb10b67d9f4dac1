/**
 * Fields of `data` that the contract defines for all operations. Parse asks for none of them, yet a service may send them;
 * they are kept in the receipt as they came.
 */
export interface SharedData {
  /** Base64 of the original body, no data URI; its type is `metadata.contentType`. */
  readonly rawBase64?: string | null
  /** Expires after 24 hours. */
  readonly screenshot?: string | null
  /** Signed URLs that expire after 1 hour. */
  readonly audio?: string | null
  readonly video?: string | null
  readonly answer?: string | null
  readonly highlights?: string | null
  readonly actions?: Actions | null
  readonly changeTracking?: ChangeTracking | null
  readonly branding?: Branding | null
  readonly product?: Product | null
  readonly menu?: Menu | null
}

export interface Actions {
  /** In action order; expire after 24 hours. */
  readonly screenshots?: readonly string[]
  readonly scrapes?: readonly { readonly url: string; readonly html: string }[]
  readonly javascriptReturns?: readonly { readonly type: string; readonly value: unknown }[]
  readonly pdfs?: readonly string[]
}

export interface ChangeTracking {
  /** ISO 8601; null when there was no earlier scrape. */
  readonly previousScrapeAt?: string | null
  /** `new`, `same`, `changed`, `removed`. */
  readonly changeStatus?: string
  /** `visible`, `hidden`. */
  readonly visibility?: string
  readonly diff?: string | null
  readonly json?: Readonly<Record<string, unknown>> | null
}

type Texts<Name extends string> = Readonly<Partial<Record<Name, string>>>
type Loose = Readonly<Record<string, unknown>> | null

export interface Branding {
  readonly colorScheme?: string
  readonly logo?: string | null
  readonly colors?: Texts<
    | 'primary'
    | 'secondary'
    | 'accent'
    | 'background'
    | 'textPrimary'
    | 'textSecondary'
    | 'link'
    | 'success'
    | 'warning'
    | 'error'
  > | null
  readonly fonts?: readonly { readonly family: string }[] | null
  readonly typography?: {
    readonly fontFamilies?: Texts<'primary' | 'heading' | 'code'>
    readonly fontSizes?: Texts<'h1' | 'h2' | 'h3' | 'body'>
    readonly fontWeights?: Readonly<Partial<Record<'light' | 'regular' | 'medium' | 'bold', number>>>
    readonly lineHeights?: Readonly<Partial<Record<'heading' | 'body', string | number>>>
  } | null
  readonly spacing?: {
    readonly baseUnit?: number
    readonly borderRadius?: string
    readonly padding?: Loose
    readonly margins?: Loose
  } | null
  readonly components?: {
    readonly buttonPrimary?: Texts<'background' | 'textColor' | 'borderRadius'>
    readonly buttonSecondary?: Texts<'background' | 'textColor' | 'borderColor' | 'borderRadius'>
    readonly input?: Loose
  } | null
  readonly icons?: Loose
  readonly images?: Texts<'logo' | 'favicon' | 'ogImage'> | null
  readonly animations?: Loose
  readonly layout?: Loose
  readonly personality?: Loose
}

export interface Price {
  readonly amount: number
  /** ISO 4217. */
  readonly currency?: string
  readonly formatted?: string
}

export interface Availability {
  readonly inStock: boolean
  readonly text?: string | null
}

export interface Picture {
  readonly url: string
  readonly alt?: string | null
}

export interface Product {
  readonly title: string
  readonly url: string
  readonly variants: readonly ProductVariant[]
  readonly brand?: string
  readonly category?: string
  readonly description?: string
}

export interface ProductVariant {
  readonly availability: Availability
  readonly id?: string
  readonly sku?: string
  readonly title?: string
  readonly values?: Readonly<Record<string, string>>
  readonly price?: Price
  readonly sale?: { readonly originalPrice: Price }
  readonly images?: readonly Picture[]
}

export interface Menu {
  readonly isMenu: boolean
  readonly sections: readonly MenuSection[]
  /** 0 to 1. */
  readonly confidence?: number
  readonly merchant?: { readonly name: string; readonly type?: string }
  readonly currency?: string
  readonly sourceUrl?: string | null
}

export interface MenuSection {
  readonly name: string
  readonly items: readonly MenuItem[]
  readonly id?: string
  readonly description?: string | null
}

export interface MenuItem {
  readonly name: string
  readonly id?: string
  readonly description?: string | null
  readonly images?: readonly Picture[]
  readonly price?: Price
  readonly availability?: Availability
  readonly dietary?: readonly string[]
  readonly calories?: number | null
  readonly optionGroups?: readonly Readonly<Record<string, unknown>>[]
  readonly identifiers?: { readonly merchantItemId?: string }
  readonly url?: string | null
  readonly sourceUrl?: string | null
}
