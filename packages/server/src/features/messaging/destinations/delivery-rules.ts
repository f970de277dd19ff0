/** After so many failures in a row a destination gets one probe at a time, and its other messages are held. */
export const breakerFailures = 10

/** A destination whose attempts all failed for this long is disabled. */
export const disableAfterDays = 5

/** Requests to one destination at the same time. One drain runs for it, whatever the number of processes. */
export const concurrencyMax = 16

/** Messages of one claim at most; also how many are settled together. */
export const batchMax = 100

/** Bytes of one claim at most, give or take a message. Four times as much is no faster, and stands in memory thrice. */
export const batchBytesMax = 1024 * 1024

/** The one deadline of an attempt, from the look-up of the name to the end of the answer. */
export const attemptMs = 15_000

/** How much of an answer is read, and how much of it is kept for display. */
export const answerBytesMax = 64 * 1024
export const answerBytesKept = 2 * 1024

/**
 * A lease is short, so that what a dead process held is soon sent by another, and renewed while its message waits or is
 * on its way.
 */
export const leaseSeconds = 15
export const renewEveryMs = 4_000

/** When our own resolver was busy, messages are due again after about this, give or take a half. */
export const unsentDelayMs = 10_000

/** A drain ends after this and queues behind the others, so that many busy destinations share the places. */
export const sliceMs = 30_000

/** A drain that nothing has answered for this long gives its place to another, when all places are taken. */
export const stalledMs = 500

/** When the process stops, requests under way get this long to end. */
export const stopGraceMs = 5_000
