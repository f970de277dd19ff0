/**
 * What provider apps register at their providers, letter by letter: where browsers come back to from a conversation.
 */
export function customRedirectUri({ publicUrl }: { publicUrl: string }): string {
  return `${publicUrl}/callbacks/v1/custom-auth/default`
}
