import type { Asset, ImageSource, OfficeDocument } from './office-document.ts'

/** What is gathered while one document is rendered. */
export class Rendering {
  readonly links = new Set<string>()
  readonly images = new Set<string>()
  readonly #assets: readonly Asset[]
  readonly #noteIds: readonly string[]
  readonly #removeBase64Images: boolean

  constructor(document: OfficeDocument, removeBase64Images: boolean) {
    this.#assets = document.assets
    this.#noteIds = document.notes.map(({ id }) => id)
    this.#removeBase64Images = removeBase64Images
  }

  /** Where an image can be found: its address, its bytes as a data URI, or null when it is left out. */
  imageUrl(source: ImageSource | undefined): string | null {
    const url = source?.url ?? this.#dataUri(source?.assetId)
    if (url !== null) this.images.add(url)
    return url
  }

  /** Notes count from 1, in the order in which the document keeps them. */
  noteNumber(id: string): number {
    return this.#noteIds.indexOf(id) + 1
  }

  #dataUri(assetId: number | undefined): string | null {
    const asset = assetId === undefined ? undefined : this.#assets[assetId]
    if (asset === undefined || this.#removeBase64Images) return null
    return `data:${asset.mediaType};base64,${asset.data.toString('base64')}`
  }
}
