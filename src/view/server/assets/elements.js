// Elements and texts of the live part. Sets every text as text, never as markup.

export function element(name, attributes, ...children) {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value))
  made.append(...children)
  return made
}

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
