/** Name of the loop that compares ids. Changes that make a check due publish it. */
export const deletionChecksLoop = 'reading.deletions'
