import type { ProviderEntry } from '../../catalogue/entry.ts'
import type { Request } from '../../catalogue/format/request.ts'
import type { EventStream } from '../../catalogue/format/stream.ts'
import type { ConnectionContext, LiveCredential, ProviderHttp } from '../../connector.ts'
import { NoConnector, ProviderError } from '../../provider-error.ts'
import { accessTokenIn } from '../auth.ts'
import { resolveBaseUrl } from '../base-url.ts'
import { compilePath } from '../path.ts'
import { compileMap, compileRequest, filledMap, scopeOf, textOf } from '../request.ts'
import { safeMessage } from '../safe-message.ts'
import { openSession } from '../session.ts'
import { streamOf, webhooksBase } from '../webhooks/webhooks-of.ts'

/** Headers of a call, with the credential in them. */
export interface StreamHeaders {
  headers: Record<string, string>
  /** Number of the credential. */
  generation: number
}

/** The stream of one connection, as far as its file describes it. */
export interface OpenedStream {
  stream: EventStream
  host: string
  port: number
  /** Returns the headers of a call with the current credential. @throws ProviderError */
  headers(signal: AbortSignal): Promise<StreamHeaders>
  /** Reports that the credential was refused. Returns whether there is another one. @throws ProviderError */
  refused(generation: number, error: Error, signal: AbortSignal): Promise<boolean>
  /** Returns a text of the provider in a form that may be shown. */
  safe(text: string): string
}

/**
 * Opens the description of a stream for a connection. It requests the declared lookups once, before the first call.
 *
 * @throws NoConnector if the file declares no stream
 * @throws InvalidInputs if the connection's inputs make no usable base URL
 */
export function openStream(
  entry: ProviderEntry,
  connection: ConnectionContext & { credential: LiveCredential },
  http: ProviderHttp,
  { now = Date.now }: { now?: () => number } = {},
): OpenedStream {
  const stream = streamOf(entry, connection.module)
  if (!stream) throw new NoConnector(entry.name, connection.module)
  const session = openSession(entry, connection, http, now)
  const base = resolveBaseUrl(webhooksBase(entry, connection.module), textOf(session.scope))
  const headers = compileMap(stream.headers)
  const secrets = new Set<string>()
  let lookedUp: Record<string, unknown> | undefined

  async function lookUp(signal: AbortSignal): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {}
    for (const { name, value, ...lookup } of stream?.lookups ?? []) {
      const scope = scopeOf(found, session.scope)
      const response = await session.send(compileRequest(lookup as Request), base, scope, signal)
      found[name] = compilePath(value)(response.json)
      if (found[name] === undefined)
        throw session.unexpected(response, `The provider’s answer has no value for "${name}".`)
    }
    return found
  }

  const at = stream.host.lastIndexOf(':')
  return {
    stream,
    host: stream.host.slice(0, at),
    port: Number(stream.host.slice(at + 1)),
    async headers(signal) {
      lookedUp ??= await lookUp(signal)
      const attachment = await connection.credential.authenticate({ signal })
      for (const secret of attachment.secrets) secrets.add(secret)
      const accessToken = accessTokenIn(entry.authentication, attachment)
      if (accessToken === undefined)
        throw new ProviderError('bad_request', 'The stream of this provider needs a connection by OAuth.')
      const scope = scopeOf({ ...lookedUp, accessToken }, session.scope)
      return { headers: filledMap(headers, textOf(scope)), generation: attachment.generation }
    },
    refused: (generation, error, signal) => connection.credential.refused(generation, { error, signal }),
    safe: (text) => safeMessage(text, [...secrets]),
  }
}
