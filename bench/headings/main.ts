// Whether a small classifier would find headings better than the rules of the layout: `npm run bench:headings -- SET`. SET holds `docs/*.pdf` with text of their
// own and `gt/NAME.md`, whose headings are the truth. Each block of text is an example; boosted trees and a logistic model are trained on the
// documents of all other sources and judged on one source after the other; the rules are judged on the same blocks. The last line is JSON.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sumOfTrees } from '../../src/engine/grade/quality-model.ts'
import { headingKey } from '../../src/engine/pdf/layout/outlined-headings.ts'
import { boosted } from '../route/boosted.ts'
import { type BlockExample, blocksOf } from './blocks.ts'
import { logistic } from './logistic.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const set = positionals[0] ?? ''
const STEPS = 20

interface Example extends BlockExample {
  readonly source: string
  readonly isHeading: boolean
}

/** Documents of one name but for numbers and endings come from one source: `bundle3`, `bundle4`. */
const sourceOf = (name: string): string => name.replace(/\.pdf$/, '').split(/[\d.]|-from-/, 1)[0] ?? name

async function examplesOf(name: string): Promise<Example[]> {
  const truthPath = join(set, 'gt', `${name}.md`)
  const truth = existsSync(truthPath) ? readFileSync(truthPath, 'utf8') : ''
  const titles = new Set(truth.split('\n').flatMap((line) => (/^#{1,6} /.test(line) ? headingKey(line) : [])))
  if (titles.size === 0) return []
  const blocks = await blocksOf(join(set, 'docs', name))
  return blocks.map((block) => ({ ...block, source: sourceOf(name), isHeading: titles.has(headingKey(block.text)) }))
}

interface Counts {
  readonly right: number
  readonly said: number
  readonly true: number
}

const f1 = ({ right, said, true: all }: Counts): number => (said + all === 0 ? 1 : (2 * right) / (said + all))

function counted(examples: readonly Example[], says: (example: Example) => boolean): Counts {
  const said = examples.filter(says)
  const right = said.filter(({ isHeading }) => isHeading).length
  return { right, said: said.length, true: examples.filter(({ isHeading }) => isHeading).length }
}

type Model = (features: readonly number[]) => number

const TRAINERS: Readonly<Record<string, (examples: readonly Example[]) => Model>> = {
  'boosted trees': (examples) => {
    const pages = examples.map(({ features, isHeading }) => ({ features, quality: Number(isHeading) }))
    const model = boosted(pages, 'bench')
    return (features) => sumOfTrees(features, model)
  },
  logistic: (examples) => logistic(examples.map(({ features, isHeading }) => ({ features, isTrue: isHeading }))),
}

/** Trained on the others, with the threshold that serves them best. */
function heldOut(
  examples: readonly Example[],
  train: (examples: readonly Example[]) => Model,
): (example: Example) => boolean {
  const judges = new Map(
    [...new Set(examples.map(({ source }) => source))].map((source) => {
      const others = examples.filter((example) => example.source !== source)
      const model = train(others)
      const thresholds = Array.from({ length: STEPS - 1 }, (_, step) => (step + 1) / STEPS)
      const scores = thresholds.map((least) => ({
        least,
        score: f1(counted(others, ({ features }) => model(features) >= least)),
      }))
      const { least } = scores.reduce((a, b) => (b.score > a.score ? b : a))
      return [source, (example: Example) => model(example.features) >= least] as const
    }),
  )
  return (example) => judges.get(example.source)?.(example) ?? false
}

const examples: Example[] = []
for (const name of globSync('*.pdf', { cwd: join(set, 'docs') }).sort()) examples.push(...(await examplesOf(name)))
const judges = {
  rules: ({ isRuled }: Example): boolean => isRuled,
  ...Object.fromEntries(Object.entries(TRAINERS).map(([name, train]) => [name, heldOut(examples, train)])),
}
const sources = [...Map.groupBy(examples, ({ source }) => source).values()]
const result = Object.entries(judges).map(([name, says]) => {
  const all = f1(counted(examples, says))
  const mean = sources.reduce((sum, some) => sum + f1(counted(some, says)), 0) / Math.max(1, sources.length)
  console.log(`${name.padEnd(14)} F1 of all blocks ${all.toFixed(3)}, mean of sources ${mean.toFixed(3)}`)
  return { name, all, mean }
})
const headings = examples.filter(({ isHeading }) => isHeading).length
console.log(JSON.stringify({ blocks: examples.length, headings, sources: sources.length, result }))
