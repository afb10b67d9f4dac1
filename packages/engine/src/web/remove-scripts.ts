import type { Element, Root } from 'hast'
import { runsScript } from '../markup/scripts-in-addresses.ts'
import { elementsOf, removeElements } from './nodes.ts'

/** Removes all code that runs when a page is shown or a link is followed: scripts, event handlers, script URLs. */
export function removeScripts(tree: Root): void {
  removeElements(tree, ({ tagName }) => tagName === 'script')
  for (const element of elementsOf(tree, holdsScript)) {
    for (const name of Object.keys(element.properties))
      if (isScript(name, element.properties[name])) delete element.properties[name]
  }
}

function holdsScript({ properties }: Element): boolean {
  for (const name in properties) if (isScript(name, properties[name])) return true
  return false
}

const isScript = (name: string, value: unknown): boolean =>
  /^on[a-z]/i.test(name) || name.toLowerCase() === 'srcdoc' || (typeof value === 'string' && runsScript(value))
