import type { Asset, ImageSource, OfficeDocument } from './office-document.ts'

/** State of the renderer for one document. */
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

  /** Returns the URL of an image: its address, its bytes as a data URI, or null if it is omitted. */
  imageUrl(source: ImageSource | undefined): string | null {
    const url = source?.url ?? this.#dataUri(source?.assetId)
    if (url !== null) this.images.add(url)
    return url
  }

  /** Notes count from 1, in document order. */
  noteNumber(id: string): number {
    return this.#noteIds.indexOf(id) + 1
  }

  #dataUri(assetId: number | undefined): string | null {
    const asset = assetId === undefined ? undefined : this.#assets[assetId]
    if (asset === undefined || this.#removeBase64Images) return null
    return `data:${asset.mediaType};base64,${asset.data.toString('base64')}`
  }
}
