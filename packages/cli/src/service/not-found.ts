/** The service has nothing of that name, as far as the command can tell by itself. Exit code 5. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
}
