/** Why a request may not be sent now; each comes from one check of enter.lua. */
export type WaitReason = 'paused' | 'outage' | 'refused' | 'places' | 'start' | 'rate' | 'budget'

/** What enter.lua answers. */
export type EnterReply =
  | {
      readonly kind: 'admitted'
      readonly enteredAt: number
      readonly ahead: number
      readonly seq: number
      readonly done: number
      readonly bound: boolean
      /** Further documents were announced, and this was the last place: when one may be free for the next of them. */
      readonly fullForMs?: number
    }
  /** `waitMs`: when a place may be free, as far as that can be known. */
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly waitMs: number; readonly askInMs?: number }
  | {
      readonly kind: 'halted'
      readonly cause: 'credits' | 'key' | 'permission'
      readonly message: string
      readonly retryInMs: number
    }
  | { readonly kind: 'budget'; readonly scope: string; readonly limit: number; readonly spent: number }

/** What leave.lua answers. */
export interface LeaveReply {
  readonly counted: boolean
  readonly retryInMs?: number
  /** What became of the next document, where one came along. */
  readonly entered?: EnterReply
  /** This process is among the first in line, and should ask again after so long. */
  readonly pollInMs?: number
}
