import type { IncomingMessage, ServerResponse } from 'node:http'

/** What an access token allows. */
export interface Access {
  readonly person: string
  readonly scopes: readonly string[]
}

export type FindAccess = (token: string) => Promise<Access | undefined>

/** An application that may ask for access, such as your Mortise. */
export interface Application {
  readonly clientId: string
  readonly clientSecret: string
  /** Shown to the person who is asked. */
  readonly name: string
  readonly redirectUris: readonly string[]
}

/** Access that a person gave to an application. */
export interface Grant {
  readonly id: string
  readonly application: string
  readonly person: string
  readonly scopes: readonly string[]
  readonly time: Date
}

/** An OAuth 2.0 authorization server of the CRM, below `/oauth/`. */
export interface AuthorizationServer {
  /** Handles a request whose path begins with `/oauth/`. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  findAccess: FindAccess
  /** The newest first. */
  grants(): readonly Grant[]
  /** Ends a grant with its access and refresh tokens. Unknown ids change nothing. */
  revoke(grantId: string): Promise<void>
  /** Ends all access tokens as if their time were over. Refresh tokens stay. */
  expireTokens(): Promise<void>
}

export const scopeNames: Readonly<Record<string, string>> = {
  'contacts.read': 'Read contacts',
  'companies.read': 'Read companies',
  'contacts.write': 'Create, change and delete contacts',
}
