/**
 * Names of our own headers, and the other names that they are accepted under: clients of this interface that are out in
 * the world send those. The only place that knows them; `docs/http.md` lists the same.
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

/** A header of ours in a request, under whichever of its names it came; ours wins. */
export function headerOf(
  headers: Record<string, string | string[] | undefined>,
  name: keyof typeof headerAliases,
): string | undefined {
  const value = headers[name] ?? headers[headerAliases[name]]
  return Array.isArray(value) ? value[0] : value
}
