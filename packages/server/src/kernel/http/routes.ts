/**
 * Paths are declared in OpenAPI form. find-my-way writes a literal colon as `::`, and silently loses the id of
 * `:id::verb` unless the parameter has a pattern. It holds that pattern against the decoded segment, so that an id may
 * hold any character; `%3A` and `:` before a verb's name are the same to it.
 */
export function routerPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(?=(::)?)/g, (_, name: string, verb: string | undefined) =>
      verb ? `:${name}(^.+)` : `:${name}`,
    )
}

/** The path as the world sees it: below `/v1`, or as written after `//`. */
export function publicPath(path: string): string {
  return path.startsWith('//') ? path.slice(1) : `/v1${path}`
}

/** Names of the parameters of a declared path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}
