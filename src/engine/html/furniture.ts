import type { Element } from 'hast'
import { attribute } from './nodes.ts'

/** Landmarks of a page around its content (ARIA names and the elements that carry them without a name). */
const FURNITURE_ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'alertdialog',
  'menu',
  'menubar',
  'toolbar',
])
const FURNITURE_TAGS = new Set(['nav', 'aside', 'dialog', 'menu'])
const FORM_CONTROLS = new Set(['button', 'select', 'textarea', 'input', 'datalist'])

/** Names that authors give to the same things. Whole words of `class` and `id` only: `header` must not match `subheader`. */
const FURNITURE_NAMES = new Set(
  `nav navbar navigation menu sidebar breadcrumb breadcrumbs pagination pager toc-sidebar site-header page-header-nav masthead
   site-footer page-footer footer share sharing social social-share social-links share-buttons sharedaddy addtoany newsletter
   newsletter-signup subscribe signup related related-posts related-articles related-content recommended recommendations
   read-next more-stories most-read trending comments comment-list comments-area disqus_thread respond skip-link skip-to-content
   print-only hidden-print sr-only visually-hidden screen-reader-text author-box byline-box promo outbrain taboola
   mw-editsection noprint navbox catlinks printfooter mw-jump-link headerlink edit-this-page`.split(/\s+/),
)

/** Advertisements and consent notices by the marks of the best known tools and by the names that mean nothing else. */
const AD_NAMES = new Set(
  `adsbygoogle ad-slot ad-container ad-wrapper ad-banner ad-unit ad-block adbox advert adverts advertisement advertisements
   advertising banner-ad google-ad dfp-ad sponsored-content sponsored-links
   cookie-banner cookie-bar cookie-consent cookie-notice cookie-popup cookie-message cookie-law-info-bar cookiebanner cookieconsent
   cookie-notification cookies-banner gdpr gdpr-banner gdpr-consent consent-banner cc-window cc-banner
   onetrust-consent-sdk onetrust-banner-sdk CybotCookiebotDialog qc-cmp2-container didomi-host didomi-notice usercentrics-root
   fc-consent-root sp_message_container truste_overlay iubenda-cs-banner cmplz-cookiebanner osano-cm-window klaro
   adblock-notice adblock-overlay`.split(/\s+/),
)
const AD_ID = /^(?:google_ads_|div-gpt-ad|sp_message_container_|taboola-|outbrain_)/

/** An advertisement or a cookie notice (`blockAds`). Kept narrow: what it names is removed without looking inside. */
export function isAdvertisement(element: Element): boolean {
  return (
    hasName(element, AD_NAMES) ||
    AD_ID.test(attribute(element, 'id') ?? '') ||
    attribute(element, 'dataAdSlot') !== null ||
    /^advertisement$/i.test(attribute(element, 'ariaLabel') ?? '')
  )
}

/** Navigation, page header and footer, side matter, sharing, comments: what `onlyMainContent` leaves out. */
export function isFurniture(element: Element): boolean {
  return isLandmark(element) || FORM_CONTROLS.has(element.tagName)
    ? !isCheckbox(element)
    : hasName(element, FURNITURE_NAMES)
}

/** Furniture by element or role alone. */
export function isLandmark(element: Element): boolean {
  return FURNITURE_TAGS.has(element.tagName) || FURNITURE_ROLES.has(attribute(element, 'role') ?? '')
}

/** Hidden by style or for assistive tools; `hidden` itself is removed in every mode. */
export function isInvisible(element: Element): boolean {
  return (
    attribute(element, 'ariaHidden') === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribute(element, 'style') ?? '')
  )
}

function isCheckbox(element: Element): boolean {
  return element.tagName === 'input' && /^(?:checkbox|radio)$/.test(attribute(element, 'type') ?? '')
}

function hasName(element: Element, names: ReadonlySet<string>): boolean {
  const id = attribute(element, 'id')
  return (
    (id !== null && names.has(id)) ||
    (attribute(element, 'className')
      ?.split(/\s+/)
      .some((name) => names.has(name)) ??
      false)
  )
}
