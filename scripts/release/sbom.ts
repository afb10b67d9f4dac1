interface Component {
  readonly name: string
  readonly 'bom-ref': string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

interface Bom {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/** The set-up of a checkout needs them; the package does not install them, and the image removes them. */
const BUNDLER = /^(?:rolldown|@rolldown\/.+|@oxc-project\/.+)$/

/**
 * Removes the development tools from a CycloneDX document of npm. `npm sbom --omit dev` (11.19) also omits packages
 * that a development tool shares with us: the script requests all, and drops the marked ones.
 */
export function withoutDevelopmentTools(json: string): string {
  const bom = JSON.parse(json) as Bom
  const isTool = ({ name: component, properties = [] }: Component): boolean =>
    BUNDLER.test(component) ||
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')
  const dropped = new Set(bom.components.filter(isTool).map((component) => component['bom-ref']))
  const shipped = {
    ...bom,
    components: bom.components.filter((component) => !dropped.has(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => !dropped.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => !dropped.has(on)) })),
  }
  return `${JSON.stringify(shipped, null, 2)}\n`
}
