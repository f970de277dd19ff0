/**
 * Names of Mortise's headers and their accepted aliases, which existing clients of this interface send. No other module
 * knows the aliases; `docs/http.md` lists the same.
 */
export const headerAliases = {
  'x-mortise-proxy-version': 'x-amp-proxy-version',
  'x-mortise-project-id': 'x-amp-project-id',
  'x-mortise-installation-id': 'x-amp-installation-id',
  'x-mortise-integration-name': 'x-amp-integration-name',
  'x-mortise-group-ref': 'x-amp-group-ref',
  'x-mortise-rate-limiter-mode': 'x-amp-rate-limiter-mode',
  'x-mortise-log': 'x-amp-log',
  'x-mortise-request-type': 'x-amp-request-type',
  'x-mortise-client': 'x-amp-client',
  'x-mortise-client-version': 'x-amp-client-version',
} as const

/** Returns a Mortise header of a request, under any of its names; the primary name wins. */
export function headerOf(
  headers: Record<string, string | string[] | undefined>,
  name: keyof typeof headerAliases,
): string | undefined {
  const value = headers[name] ?? headers[headerAliases[name]]
  return Array.isArray(value) ? value[0] : value
}
