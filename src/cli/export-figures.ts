import { type FigureTally, NO_IMAGE, type NoImage } from '#src/corpus/figures/figure.ts'
import { plural } from './format.ts'

const REASONS: Readonly<Record<NoImage, string>> = {
  no_page: 'in documents without pages',
  source_unreadable: 'whose document cannot be read in its folder or bucket',
  source_changed: 'whose document is no longer the one that was parsed',
  not_drawn: 'whose page cannot be drawn as it was read',
}

/** Lines of the summary. */
export function figureLines({ images, without }: FigureTally): readonly string[] {
  const lacking = NO_IMAGE.filter((reason) => without[reason] > 0)
  return [
    `${plural(images, 'image')} of figures`,
    ...lacking.map((reason) => `without image: ${plural(without[reason], 'figure')} ${REASONS[reason]}`),
  ]
}
