import { fitsHost } from '../host-pattern.ts'
import { scalarText } from '../path.ts'

const urlCharactersMax = 2_000

/** Returns a URL that a request names, without its fragment. Undefined unless it is https on one of the hosts. */
export function allowedUrl(named: unknown, hosts: readonly string[]): URL | undefined {
  const text = scalarText(named)
  if (text === undefined || text.length > urlCharactersMax) return undefined
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return fitsHost(hosts, url.hostname) ? url : undefined
}
