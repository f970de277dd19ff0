/** Returns the URL of a path below an endpoint, whether the endpoint ends with a slash or not. */
export function urlBelow(endpointUrl: string, ...segments: string[]): URL {
  const { origin, pathname } = new URL(endpointUrl)
  return new URL([origin, ...pathname.split('/').filter(Boolean), ...segments].join('/'))
}
