/** The origin of the page that sent a request, where a browser says one; what runs on no page of the web has none. */
export function openerOriginOf(headers: Record<string, string | string[] | undefined>): string | undefined {
  const { origin } = headers
  if (typeof origin !== 'string' || origin.length > 300) return undefined
  const url = URL.parse(origin)
  // Exactly an origin, as browsers write it: it becomes the target of a message.
  return url && /^https?:$/.test(url.protocol) && url.origin === origin ? origin : undefined
}
