import process from 'node:process'

/** Ends the process. Errors with a specific name are written for the terminal; others are shown with their stack. */
export function fail(error: unknown): never {
  const known = error instanceof Error && !['Error', 'TypeError', 'RangeError', 'error'].includes(error.name)
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
