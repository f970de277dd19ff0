/** Ends the session, and its tokens with it. */
export async function signOut(): Promise<void> {
  await fetch('/console/signout', { method: 'POST', headers: { 'x-mortise-console': '1' } })
  window.location.assign('/signin')
}
