/** How a client says who it is: an API key, or a bearer token (of a builder, or of a consumer). */
export type Credential =
  | { apiKey: string; token?: never }
  | {
      apiKey?: never
      /**
       * The token, or what gets one: it is asked before every call, and may answer the same token for as long as it
       * lasts.
       */
      token: string | (() => string | Promise<string>)
    }
  | { apiKey?: undefined; token?: undefined }

/** The request with the credential in its header. */
export async function addCredential(request: Request, { apiKey, token }: Credential): Promise<Request> {
  if (apiKey !== undefined) request.headers.set('x-api-key', apiKey)
  const bearer = typeof token === 'function' ? await token() : token
  if (bearer !== undefined) request.headers.set('authorization', `Bearer ${bearer}`)
  return request
}
