/**
 * Whether a form was sent by a page of this service, as the browser itself says: by `Sec-Fetch-Site`, else by `Origin`.
 * What is sent by no browser has neither, and needs the form's token all the same.
 */
export function isSameOrigin(
  { publicUrl }: { publicUrl: string },
  headers: Record<string, string | string[] | undefined>,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = headers['origin']
  if (origin === undefined) return true
  return origin === publicUrl || (URL.canParse(String(origin)) && new URL(String(origin)).host === headers['host'])
}
