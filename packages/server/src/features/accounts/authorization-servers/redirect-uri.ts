/** What provider apps register at their providers, letter by letter: where the answer of the provider comes to. */
export function redirectUriOf({ publicUrl }: { publicUrl: string }): string {
  return `${publicUrl}/callbacks/v1/oauth`
}
