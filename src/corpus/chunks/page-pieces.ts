import type { ChunkableDocument } from './chunk.ts'
import { pageSpans } from './citations.ts'
import { addLeaves, type Piece, plainPiece } from './piece.ts'

/**
 * One piece for each page of a document, made of the blocks that begin on it: a block that goes over a page break belongs to the page
 * where it begins. The pieces as they are where the parser returned no pages.
 */
export function piecesByPage(document: ChunkableDocument, pieces: readonly Piece[]): readonly Piece[] {
  const starts = pageStarts(document)
  if (starts.length === 0) return pieces
  const leaves: Piece[] = []
  for (const piece of pieces) addLeaves(piece, leaves)
  const pages: Piece[] = []
  let from = 0
  for (const start of [...starts.slice(1), Infinity]) {
    let upTo = from
    while (upTo < leaves.length && (leaves[upTo] as Piece).start < start) upTo += 1
    if (upTo > from) pages.push(pageOf(leaves.slice(from, upTo)))
    from = upTo
  }
  return pages
}

/** Where each page begins, ascending; blocks of an earlier page that stand later belong to the page around them. */
function pageStarts(document: ChunkableDocument): readonly number[] {
  const blocks = document.blocks
    .filter(({ span }) => span[1] > span[0])
    .toSorted((one, other) => one.span[0] - other.span[0])
  const found = blocks.length > 0 ? blocks : pageSpans(document)
  let last = 0
  return found.flatMap(({ page, span }) => {
    if (page === null || page <= last) return []
    last = page
    return [span[0]]
  })
}

function pageOf(leaves: readonly Piece[]): Piece {
  const [first, last] = [leaves[0] as Piece, leaves.at(-1) as Piece]
  return {
    ...plainPiece('page', first.start, last.end, first.headings),
    own: { kind: 'page', at: first.start },
    children: sectionsOf(leaves),
  }
}

/** Each heading with what stands below it up to the next one. */
function sectionsOf(leaves: readonly Piece[]): readonly Piece[] {
  const sections: Piece[] = []
  for (let from = 0; from < leaves.length;) {
    let upTo = from + 1
    while (upTo < leaves.length && (leaves[upTo] as Piece).kind !== 'heading') upTo += 1
    const children = leaves.slice(from, upTo)
    const [first, last] = [children[0] as Piece, children.at(-1) as Piece]
    const holdsOwn = children.some(({ own }) => own !== null)
    if (first.kind === 'heading') {
      sections.push({ ...plainPiece('section', first.start, last.end, first.headings), children, holdsOwn })
    } else sections.push(...children)
    from = upTo
  }
  return sections
}
