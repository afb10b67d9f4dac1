// Elements and texts of the live part. Sets every text as text, never as markup.

export function element(name, attributes, ...children) {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value))
  made.append(...children.map((child) => (child instanceof Node ? child : revealed(String(child)))))
  return made
}

/** Characters that reorder a text, by their codes; like `withCodes` (src/kit/concealed.ts), without joiners. */
const revealed = (text) =>
  text.replaceAll(
    /[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`,
  )

const WHOLE = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

export const count = (value) => WHOLE.format(value)

export const duration = (seconds) =>
  seconds < 10
    ? `${seconds.toFixed(1)} s`
    : seconds < 90
      ? `${Math.round(seconds)} s`
      : seconds < 5400
        ? `${Math.round(seconds / 60)} min`
        : `${(seconds / 3600).toFixed(1)} h`
