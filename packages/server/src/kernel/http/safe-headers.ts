/**
 * Returns the headers of every answer, names and values in turn: a browser must not guess another type than the one
 * declared, and comes back over TLS alone where the service is reached over it.
 */
export function safeHeaders(publicUrl: string): [name: string, value: string][] {
  return [
    ['x-content-type-options', 'nosniff'],
    ...(publicUrl.startsWith('https:')
      ? ([['strict-transport-security', 'max-age=31536000']] as [string, string][])
      : []),
  ]
}
