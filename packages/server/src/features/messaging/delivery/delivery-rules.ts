/** Maximum number of messages in one claim. */
export const batchMax = 100

/**
 * Maximum number of messages in one settlement. A run claims no more while so many have ended and are not settled: they
 * would be sent again if the process ended now.
 */
export const settlementMax = 1_000

/**
 * Approximate maximum size of one claim, in bytes. Four times as much delivers no faster. Memory holds it three times.
 */
export const batchBytesMax = 1024 * 1024

/** Maximum length of a response that is stored for display. */
export const answerBytesKept = 2 * 1024

/**
 * Lifetime of a lease: short, so that another process soon sends the messages of a dead one. Renewed while its message
 * waits or is being sent.
 */
export const leaseSeconds = 15
export const renewEveryMs = 4_000

/** Delay after our own resolver was busy, plus or minus half. */
export const unsentDelayMs = 10_000

/** A run ends after this time and queues behind the others, so that many busy destinations share the slots. */
export const sliceMs = 30_000

/** A run without a response for this long yields its slot to another, if all slots are in use. */
export const stalledMs = 500

/** When the process stops, requests in progress get this long to end. */
export const stopGraceMs = 5_000

/** Maximum number of messages of one sequence in one claim. They are sent one after the other. */
export const sequenceMax = 20

/** Messages of a fan-out that one statement gives to its destinations, of which there may be many. */
export const spreadMax = 20
