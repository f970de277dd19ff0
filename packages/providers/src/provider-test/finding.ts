import { ProviderError } from '../provider-error.ts'

export interface TriedFinding {
  level: 'error' | 'warning'
  message: string
}

/** Says why a step failed. @throws what is neither the provider's nor the file's doing */
export function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) {
    // The message speaks of the whole, the single things name the parameter.
    const single = (error.errors ?? []).map(({ message }) => message).filter((text) => text !== error.providerMessage)
    return [`${error.message} (${error.class})`, error.providerMessage, single.join(' ')].filter(Boolean).join(' ')
  }
  if (error instanceof Error && error.name === 'OutboundError') return error.message
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) return 'timed out.'
  throw error
}
