/** How a client says who it is: an API key, or a bearer token (of a builder, or of a consumer). */
export type Credential =
  | { apiKey: string; token?: never }
  | {
      apiKey?: never
      /**
       * The token, or a function that returns one. It is called before every request, and may return the same token
       * until it expires.
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
