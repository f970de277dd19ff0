import type { Services } from '../../../../services.ts'

/**
 * What provider apps register at their providers, letter by letter: where browsers come back to from a conversation.
 */
export function customRedirectUri({ publicUrl }: Pick<Services, 'publicUrl'>): string {
  return `${publicUrl}/callbacks/v1/custom-auth/default`
}
