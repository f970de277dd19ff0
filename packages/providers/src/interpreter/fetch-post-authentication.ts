import type { ProviderEntry } from '../catalogue/entry.ts'
import type { PostAuthentication } from '../catalogue/format/further-values.ts'
import type { ConnectionContext, ProviderHttp } from '../connector.ts'
import { InvalidInputs } from '../provider-error.ts'
import { capturedText } from './captured-text.ts'
import { fillTemplate, providerUrl } from './connection-values.ts'
import { compileMatch } from './match.ts'
import { compilePath } from './path.ts'
import { openSession } from './session.ts'

type Request = NonNullable<PostAuthentication['request']>

/** Values that only the provider knows, by name. */
export type ProviderValues = Record<string, { value: string; source: 'provider' }>

/**
 * Asks the provider for the values that its file says come after authentication, such as the id of the account that the
 * credential is for. What the provider does not tell is left out: the connection works without, as far as it does.
 *
 * @param skip names of values that are known already
 * @throws ProviderError (`rate_limited`, `provider_5xx`) when asking again later may tell more
 */
export async function fetchPostAuthentication(
  entry: ProviderEntry,
  connection: ConnectionContext,
  http: ProviderHttp,
  {
    skip = new Set(),
    signal,
    now = Date.now,
  }: { skip?: ReadonlySet<string>; signal?: AbortSignal; now?: () => number } = {},
): Promise<ProviderValues> {
  const wanted = (entry.postAuthentication ?? []).flatMap(({ name, request }) =>
    request && !skip.has(name) ? [{ name, request }] : [],
  )
  const values: ProviderValues = {}
  if (wanted.length === 0) return values
  const session = openSession(entry, connection, http, now)
  const answers = new Map<string, unknown>()
  for (const { name, request } of wanted) {
    const url = urlOf(entry, request, connection)
    if (url === undefined) continue
    const key = `${request.method ?? 'GET'} ${url.href}`
    if (!answers.has(key)) {
      const { response, error } = await session.ask(request.method ?? 'GET', url, signal)
      if (error?.class === 'rate_limited' || error?.class === 'provider_5xx') throw error
      answers.set(key, error === undefined ? response.json : undefined)
    }
    const value = capturedText(answerIn(answers.get(key), entry, request, connection), request)
    if (value !== undefined) values[name] = { value, source: 'provider' }
  }
  return values
}

/** Undefined while a value that the URL needs is missing. */
function urlOf(entry: ProviderEntry, { url }: Request, connection: ConnectionContext): URL | undefined {
  try {
    return providerUrl(entry, url, connection)
  } catch (error) {
    if (error instanceof InvalidInputs) return undefined
    throw error
  }
}

/** The answer, or the item of its list that counts. */
function answerIn(
  answer: unknown,
  entry: ProviderEntry,
  { list, when }: Request,
  connection: ConnectionContext,
): unknown {
  if (list === undefined) return answer
  const items = compilePath(list)(answer)
  if (!Array.isArray(items)) return undefined
  const filled = Object.entries(when ?? {}).map(([path, value]) => [
    path,
    typeof value === 'string' ? (fillTemplate(entry, value, connection) ?? null) : value,
  ])
  const fitting: unknown = items.find(compileMatch(Object.fromEntries(filled)))
  return fitting ?? (items.length === 1 ? items[0] : undefined)
}
