import { type Static, Type } from 'typebox'
import { named, Problem, type Reply, reply } from '../../../kernel/http/index.ts'

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'temporarily_unavailable'

/** What OAuth clients understand, in place of a problem (RFC 6749, 5.2; RFC 7591, 3.2.2). */
export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: OAuthErrorCode
  /** @param description ASCII without quotation marks, because RFC 6749 allows no others */
  constructor(code: OAuthErrorCode, description: string) {
    super(description)
    this.code = code
  }
}

export const OAuthErrorBody = named(
  'OAuthError',
  Type.Object(
    {
      error: Type.String({ description: 'Code of RFC 6749, 7591, 7009 or 8707.' }),
      error_description: Type.String({ description: 'What is wrong, for the developer of the client.' }),
    },
    { description: 'An error in the form of OAuth.' },
  ),
)

/** Headers of token responses (RFC 6749, 5.1). */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Runs a request of a client. What is wrong with it becomes an error of OAuth; other problems stay what they are. */
export async function oauthReply<R extends Reply>(
  run: () => Promise<R>,
  badInput: OAuthErrorCode = 'invalid_request',
): Promise<R | Reply<400, Static<typeof OAuthErrorBody>>> {
  try {
    return await run()
  } catch (error) {
    const refused = asOAuthError(error, badInput)
    if (!refused) throw error
    return reply(400, { error: refused.code, error_description: refused.message }, noStore)
  }
}

function asOAuthError(error: unknown, badInput: OAuthErrorCode): OAuthError | undefined {
  if (error instanceof OAuthError) return error
  if (!(error instanceof Problem) || ![400, 415].includes(error.declaration.status)) return undefined
  const sentences = error.issues.length > 0 ? error.issues.map(({ detail }) => detail) : [error.message]
  return new OAuthError(badInput, sentences.join(' ').replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '.'))
}

/**
 * Returns the fields of a form by name. An empty one counts as absent.
 *
 * @throws OAuthError if one is repeated (RFC 6749, 3.2)
 */
export function singleFields(form: URLSearchParams): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of form) {
    if (fields.has(name)) throw new OAuthError('invalid_request', 'A parameter is repeated.')
    fields.set(name, value)
  }
  return new Map([...fields].filter(([, value]) => value !== ''))
}
