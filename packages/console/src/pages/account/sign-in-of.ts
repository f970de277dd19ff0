/** How a person signs in: with a password of this service, or at an identity provider. */
export function signInOf(idpProvider: string): string {
  return idpProvider === 'mortise' ? 'Email and password' : idpProvider
}
