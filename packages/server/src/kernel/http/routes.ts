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
