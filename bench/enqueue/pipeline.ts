/** The pipeline that the producer, the consumer and the checks of Redis after the run share. */
export const PIPELINE = 'enqueue'
