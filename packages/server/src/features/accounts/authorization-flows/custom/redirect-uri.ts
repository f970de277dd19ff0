/**
 * What provider apps register at their providers, letter by letter: where browsers come back to from a conversation.
 */
export function customRedirectUri({ publicUrl }: { publicUrl: string }): string {
  return `${publicUrl}/callbacks/v1/custom-auth/default`
}

/** Where a browser begins that components send away: it sets a cookie, and goes on to the provider. */
export function customStartUri({ publicUrl }: { publicUrl: string }): string {
  return `${publicUrl}/callbacks/v1/custom-auth/start`
}
