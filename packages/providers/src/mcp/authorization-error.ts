/**
 * An account of an MCP server cannot be authorized. `message` is for people: it has no text of the server.
 * `unreachable`: a later attempt may succeed. `unusable`: only a change of the server or of the provider file helps.
 */
export class AuthorizationNotDiscovered extends Error {
  override name = 'AuthorizationNotDiscovered'
  readonly kind: 'unreachable' | 'unusable'
  constructor(kind: 'unreachable' | 'unusable', message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
