/** Both sides, and whoever looks into Redis afterwards, mean this one. */
export const PIPELINE = 'enqueue'
