/** An 8-bit grey picture, row by row from the top. 0 is black, 255 is white. */
export interface GreyPicture {
  readonly width: number
  readonly height: number
  readonly grey: Uint8Array
}

/** A rendered page: a grey picture and its resolution in pixels per point of the page. */
export interface PageDrawing extends GreyPicture {
  readonly perPoint: number
}

export const POINTS_PER_INCH = 72
