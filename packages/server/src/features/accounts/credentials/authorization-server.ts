/**
 * The authorization server that an account was authorized at, where it was looked up. It is stored with the tokens, so
 * that codes and refresh tokens never reach another server.
 */
export interface AuthorizationServer {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  /** What tokens are for (RFC 8707). */
  resource: string
  /** Whether each authorization response names the issuer (RFC 9207). */
  namesIssuer: boolean
  /** How a client with a secret authenticates. Absent if the server does not say. */
  clientAuthentication?: 'basic' | 'body'
}

/** A client of Mortise at such a server, in place of a provider app. */
export type OwnClient =
  /** Its id is the address of its metadata document. */
  | { kind: 'document'; clientId: string }
  /** It was registered (RFC 7591). */
  | {
      kind: 'registered'
      registrationId: string
      clientId: string
      /** Empty for a public client. */
      clientSecret: string
      authentication: 'basic' | 'body' | 'none'
    }
