/** After so many failures in a row a destination gets one probe at a time, and its other messages wait. */
export const breakerFailures = 10

/** A destination whose attempts all failed for this long is disabled. */
export const disableAfterDays = 5
