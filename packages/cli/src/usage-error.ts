/** The command line asks for something that cannot be; the message says what to write instead. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
