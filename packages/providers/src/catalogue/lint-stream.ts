import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import type { Request } from './format/request.ts'
import { lintRequest } from './lint-request.ts'

/**
 * What the schema cannot say of a stream: variables that nobody fills, a token that nobody has, a second way for the
 * same events.
 *
 * @param section the file or the module that declares it
 */
export function lintStream(
  { stream, webhooks }: Pick<ProviderFileOutline, 'stream' | 'webhooks'>,
  { authentication = [] }: Pick<ProviderFileOutline, 'authentication'>,
  connectionVariables: readonly string[],
): Flaw[] {
  if (stream === undefined) return []
  const flaws: Flaw[] = []
  const add = (path: Flaw['path'], message: string) => flaws.push({ path: ['stream', ...path], message })
  if (webhooks !== undefined) add([], 'is not allowed with "webhooks": events arrive in one way')
  if (!authentication.some(({ scheme }) => scheme === 'oauth2'))
    add(['protocol'], 'needs the access token of a scheme "oauth2"')
  const port = Number(stream.host.slice(stream.host.lastIndexOf(':') + 1))
  if (port < 1 || port > 65_535) add(['host'], 'has a port that does not exist')
  const found: string[] = []
  for (const [at, { name, value: _, ...lookup }] of (stream.lookups ?? []).entries()) {
    flaws.push(...lintRequest(['stream', 'lookups', at], lookup as Request, [...connectionVariables, ...found]))
    found.push(name)
  }
  const known = [...connectionVariables, ...found, 'accessToken']
  for (const [name, text] of Object.entries(stream.headers)) {
    if (!/^[a-z][a-z0-9_.-]*$/.test(name) || name.endsWith('-bin') || name.startsWith('grpc-'))
      add(['headers', name], 'is not a name of a gRPC header: use small letters, digits, "-", "_" and "."')
    for (const variable of parseTemplate(text).variables)
      if (!known.includes(variable)) add(['headers', name], `uses the variable "${variable}", which is not declared`)
  }
  for (const [at, { match, topic }] of stream.topics.entries())
    for (const variable of parseTemplate(topic).variables)
      if (variable !== 'object' && !(variable === 'result' && match !== undefined))
        add(['topics', at, 'topic'], `uses the variable "${variable}", which is not declared`)
  if (Object.values(stream.events).every((names = []) => names.length === 0))
    add(['events'], 'names no event of records')
  return flaws
}
