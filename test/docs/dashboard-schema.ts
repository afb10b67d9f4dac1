import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * What Grafana needs of a dashboard that is provisioned as a file, of the kinds of panels that ours has. Written by hand
 * after Grafana's documentation of the model ("schemaVersion" 39): the project publishes no JSON schema as a package.
 */
const DATASOURCE = {
  type: 'object',
  required: ['type', 'uid'],
  properties: { type: { const: 'prometheus' }, uid: { const: '${datasource}' } },
}
const GRID = {
  type: 'object',
  required: ['x', 'y', 'w', 'h'],
  additionalProperties: false,
  properties: {
    x: { type: 'integer', minimum: 0, maximum: 23 },
    y: { type: 'integer', minimum: 0 },
    w: { type: 'integer', minimum: 1, maximum: 24 },
    h: { type: 'integer', minimum: 1 },
  },
}
const TARGET = {
  type: 'object',
  required: ['refId', 'expr', 'datasource'],
  properties: { refId: { pattern: '^[A-Z]$' }, expr: { type: 'string', minLength: 1 }, datasource: DATASOURCE },
}
const PANEL = {
  type: 'object',
  required: ['id', 'type', 'title', 'gridPos'],
  properties: {
    id: { type: 'integer', minimum: 1 },
    type: { enum: ['row', 'stat', 'timeseries', 'table'] },
    title: { type: 'string', minLength: 1 },
    gridPos: GRID,
    targets: { type: 'array', items: TARGET },
  },
  anyOf: [
    { properties: { type: { const: 'row' } }, required: ['collapsed'] },
    { required: ['targets', 'datasource', 'fieldConfig', 'options'] },
  ],
}
const SCHEMA = {
  type: 'object',
  required: ['uid', 'title', 'schemaVersion', 'panels', 'templating', 'time'],
  properties: {
    uid: { pattern: '^[\\w-]{1,40}$' },
    schemaVersion: { type: 'integer', minimum: 36 },
    panels: { type: 'array', minItems: 10, items: PANEL },
    templating: { type: 'object', required: ['list'] },
    time: { type: 'object', required: ['from', 'to'] },
  },
}

export interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}

/** One sentence for each way in which a dashboard could not be shown as it is meant. */
export function dashboardProblems(dashboard: Dashboard): readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  const validate = ajv.compile(SCHEMA)
  const wrong = validate(dashboard)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  if (wrong.length > 0) return wrong
  const { panels } = dashboard
  const ids = panels.map(({ id }) => id)
  const overlapping = panels.flatMap((one, at) =>
    panels
      .slice(at + 1)
      .flatMap((other) => (overlap(one.gridPos, other.gridPos) ? [`${one.title} covers ${other.title}`] : [])),
  )
  return [...(new Set(ids).size === ids.length ? [] : ['two panels share an id']), ...overlapping]
}

type Grid = Dashboard['panels'][number]['gridPos']

const overlap = (a: Grid, b: Grid): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

/** Queries of a dashboard, with Grafana's variables replaced. */
export const queriesOf = ({ panels }: Dashboard): readonly (readonly [title: string, query: string])[] =>
  panels.flatMap(({ title, targets = [] }) =>
    targets.map(
      ({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m').replaceAll('$pipeline', '.*')] as const,
    ),
  )
