/** No credential was given, and none was found, or it has ended. Exit code 4. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn'
}
