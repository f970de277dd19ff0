/** Name of the loop that processes stored runs, for changes that make a run due. */
export const storedRunsLoop = 'reading.run'
