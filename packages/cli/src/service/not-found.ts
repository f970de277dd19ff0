/** The service has nothing with this name, as far as the command can see without a request for it. Exit code 5. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
}
