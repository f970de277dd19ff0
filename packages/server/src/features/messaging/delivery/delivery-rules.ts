/** Messages of one claim at most; also how many are settled together. */
export const batchMax = 100

/** Bytes of one claim at most, give or take a message. Four times as much is no faster. It is in memory three times. */
export const batchBytesMax = 1024 * 1024

/** How much of an answer is kept for display. */
export const answerBytesKept = 2 * 1024

/**
 * A lease is short, so that what a dead process had claimed is soon sent by another, and renewed while its message
 * waits or is being sent.
 */
export const leaseSeconds = 15
export const renewEveryMs = 4_000

/** When our own resolver was busy, messages are due again after about this, give or take a half. */
export const unsentDelayMs = 10_000

/** A run ends after this and queues behind the others, so that many busy destinations share the slots. */
export const sliceMs = 30_000

/** A run that nothing has answered for this long yields its slot to another, when all slots are in use. */
export const stalledMs = 500

/** When the process stops, requests under way get this long to end. */
export const stopGraceMs = 5_000
