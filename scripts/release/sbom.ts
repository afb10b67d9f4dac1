interface Component {
  readonly name: string
  readonly 'bom-ref': string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

interface Bom {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/** A set-up of a checkout needs them; the package does not install them, and the image removes them. */
const BUNDLER = /^(?:rolldown|@rolldown\/.+|@oxc-project\/.+)$/

/**
 * A CycloneDX document of npm without its development tools. `npm sbom --omit dev` (11.19) also leaves out packages that
 * a development tool uses beside us, so it is asked for all, and those that it marks are dropped here.
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
