import type { Element } from 'hast'
import { attribute } from './nodes.ts'

/** Landmarks of a page around its content (ARIA roles, and elements with an implicit role). */
const FURNITURE_ROLES = new Set('navigation banner contentinfo complementary search dialog alertdialog'.split(' '))
const FURNITURE_TAGS = new Set(['nav', 'aside', 'dialog', 'menu'])
const FORM_CONTROLS = new Set(['button', 'select', 'textarea', 'input', 'datalist'])

/**
 * Class and id names of furniture, as complete words (`social`, `social-links`, `post_share`), so that `header` does
 * not match `subheader`. The list excludes words that also name content (`post`, `entry`, `teaser`, `header`).
 */
const FURNITURE_WORDS = new RegExp(
  `(?:^|[-_])(?:${[
    'nav|navbar|navigation|navbox|menu|sidebar|sidenav|breadcrumbs?|pagination|pager|paginator|masthead|site-?header|footer',
    'share|sharing|sharedaddy|addtoany|social|socials|social-?media|follow-?us|newsletter|subscribe|subscription|signup',
    'related|recommended|recommendations?|more-?stories|most-?read|read-?next|view-?more|see-?more|trending|outbrain|taboola',
    'comments?|comment-?list|commentlist|disqus|respond|reply|ratings?|votes?|feedback|akismet',
    'author-?(?:box|bio|card|info|description|about)|about-?author|entry-?author|postmetadata|post-?meta|entry-?meta|tags?-?list|post-?tags',
    'byline|by-line|dateline|timestamp|pub(?:lish)?(?:ed)?-?(?:date|time|on)|post(?:ed)?-?(?:date|on)|entry-?date|article-?date',
    'carousel|swiper-(?:container|wrapper|slide)|slick-(?:slider|list|track)|slideshow|gallery|galleries|gallery-count',
    'skip-?link|skip-?to-?content|screen-?reader-?text|sr-only|visually-?hidden|noprint|no-?print|print-?(?:only|button)|hidden-print',
    'widget|promo|promotion|banner|toolbar|popup|modal|lightbox|login|search-?(?:form|box)|mw-editsection|catlinks|printfooter|jump-link|edit-this-page|headerlink',
  ].join('|')})(?:$|[-_])`,
  'i',
)

/** Advertisements and consent notices, by the markers of common tools and by unambiguous names. */
const AD_NAMES = new Set(
  `adsbygoogle ad-slot ad-container ad-wrapper ad-banner ad-unit ad-block adbox advert adverts advertisement advertisements
   advertising banner-ad google-ad dfp-ad sponsored-content sponsored-links
   cookie-banner cookie-bar cookie-consent cookie-notice cookie-popup cookie-message cookie-law-info-bar cookiebanner cookieconsent
   cookie-notification cookies-banner gdpr gdpr-banner gdpr-consent consent-banner cc-window cc-banner
   onetrust-consent-sdk onetrust-banner-sdk CybotCookiebotDialog qc-cmp2-container didomi-host didomi-notice usercentrics-root
   fc-consent-root sp_message_container truste_overlay iubenda-cs-banner cmplz-cookiebanner osano-cm-window klaro BorlabsCookie
   adblock-notice adblock-overlay`.split(/\s+/),
)
const CONSENT_NAME =
  /(?:^|[-_])(?:cookies?|gdpr|eu-cookie)[-_]?(?:law|consent|banner|notice|bar|popup|overlay|modal|widget|info|layer|disclaimer)/i
const AD_ID = /^(?:google_ads_|div-gpt-ad|sp_message_container_|taboola-|outbrain_)/

/**
 * True for an advertisement or a cookie notice (`blockAds`). Kept narrow, because a match is removed with any content.
 */
export function isAdvertisement(element: Element): boolean {
  return (
    namesOf(element).some((name) => AD_NAMES.has(name) || CONSENT_NAME.test(name)) ||
    AD_ID.test(attribute(element, 'id') ?? '') ||
    attribute(element, 'dataAdSlot') !== null ||
    /^advertisement$/i.test(attribute(element, 'ariaLabel') ?? '')
  )
}

/** True for navigation, side matter and controls, by element or role alone. */
export function isLandmark(element: Element): boolean {
  if (FORM_CONTROLS.has(element.tagName)) return !/^(?:checkbox|radio)$/.test(attribute(element, 'type') ?? '')
  return FURNITURE_TAGS.has(element.tagName) || FURNITURE_ROLES.has(attribute(element, 'role') ?? '')
}

/**
 * True for share buttons, comments, related pages, menus and similar, by class, id or role. A heuristic, safe for small
 * elements.
 */
export function isNamedFurniture(element: Element): boolean {
  return (
    /^(?:menu|menubar|toolbar)$/.test(attribute(element, 'role') ?? '') ||
    namesOf(element).some((name) => FURNITURE_WORDS.test(name))
  )
}

/** True for content that a style or an ARIA attribute hides. Every mode removes `hidden` itself. */
export function isInvisible(element: Element): boolean {
  return (
    attribute(element, 'ariaHidden') === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribute(element, 'style') ?? '')
  )
}

function namesOf(element: Element): string[] {
  const { className, id } = element.properties
  const names = Array.isArray(className) ? className.map(String) : []
  return typeof id === 'string' ? [...names, id] : names
}
