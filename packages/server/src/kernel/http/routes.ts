/**
 * Paths are declared in OpenAPI form. find-my-way writes a literal colon as `::`, and silently loses the id of
 * `:id::verb` unless the parameter has a pattern. It holds that pattern against the decoded segment, so that an id may
 * hold any character; `%3A` and `:` before a verb's name are the same to it.
 *
 * @param takesRest the last parameter takes the rest of the path, with its slashes
 */
export function routerPath(path: string, { takesRest = false } = {}): string {
  const fixed = takesRest ? path.replace(/\{\w+\}$/, '') : path
  const routed = fixed
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(?=(::)?)/g, (_, name: string, verb: string | undefined) =>
      verb ? `:${name}(^.+)` : `:${name}`,
    )
  return takesRest ? `${routed}*` : routed
}

/**
 * Returns a URL whose last segment has the verb of a collection (`connections%3Agenerate`) with a plain colon, as
 * clients may encode it. find-my-way compares fixed text undecoded. An id that looks the same is decoded either way.
 * Paths of providers stay as they are.
 */
export function withPlainVerb(url: string): string {
  if (!url.includes('%3') || !/^\/(read\/|write\/|search\/)?v1\//.test(url)) return url
  const query = url.indexOf('?')
  const end = query === -1 ? url.length : query
  const begin = url.lastIndexOf('/', end - 1) + 1
  const verb = /^([a-z-]+)%3a([a-z-]+)$/i.exec(url.slice(begin, end))
  return verb ? `${url.slice(0, begin)}${verb[1]}:${verb[2]}${url.slice(end)}` : url
}

/** Gives the rest of a path, which find-my-way names `*`, its declared name. */
export function nameRest(path: string, params: Record<string, string | undefined>): void {
  const name = pathParameters(path).at(-1)
  if (name === undefined) return
  params[name] = params['*']
  delete params['*']
}

/** The path as the world sees it: below `/v1`, or as written after `//`. */
export function publicPath(path: string): string {
  return path.startsWith('//') ? path.slice(1) : `/v1${path}`
}

/** Names of the parameters of a declared path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}
