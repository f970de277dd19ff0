import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext } from '../connector.ts'
import { InvalidInputs } from '../provider-error.ts'
import { resolveUrl } from './base-url.ts'
import { connectionScope } from './connection-scope.ts'
import { compilePath } from './path.ts'
import { textOf } from './request.ts'
import { parseTemplate, render } from './template.ts'

/** What a connection says of itself; fills the templates of its provider. */
export type ConnectionValues = Pick<ConnectionContext, 'metadata' | 'workspaceRef'>

/**
 * A URL that the provider's file declares, such as its token endpoint, with the connection's values. They can never
 * change its host to one that the file does not declare.
 *
 * @throws InvalidInputs naming the values that are missing or do not fit
 */
export function providerUrl(entry: ProviderEntry, url: string, values: ConnectionValues): URL {
  const text = textOf(connectionScope(entry, values))
  const missing = parseTemplate(url).variables.filter((name) => !text(name))
  if (missing.length > 0)
    throw new InvalidInputs(missing.map((name) => ({ name, problem: 'missing', detail: 'A value is needed.' })))
  return resolveUrl(url, text)
}

/** A text of the provider's file with the connection's values; undefined when one is missing. */
export function fillTemplate(entry: ProviderEntry, template: string, values: ConnectionValues): string | undefined {
  return render(parseTemplate(template), textOf(connectionScope(entry, values)))
}

/** The value at a path of parsed JSON; undefined where there is none. */
export function readPath(value: unknown, path: string): unknown {
  return compilePath(path)(value)
}
