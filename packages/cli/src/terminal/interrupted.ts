/** Ctrl-C, or SIGTERM. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
