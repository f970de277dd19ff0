/**
 * An account was not connected. The sentence is for the person in the browser and for the application that opened the
 * window.
 */
export class FlowFailure extends Error {
  override name = 'FlowFailure'
  /** For the log: a word, never a text of the provider. */
  readonly reason: string
  constructor(reason: string, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.reason = reason
  }
}

/**
 * What the word that a provider sends (RFC 6749, 4.1.2.1) means to a person; its own sentence is anybody's text, and is
 * not shown.
 */
export function refusalAtProvider(provider: string, error: string): FlowFailure {
  const reason = /^[a-z_]{1,60}$/.test(error) ? error : 'unknown_error'
  const sentence = sentences.get(reason)?.(provider) ?? `${provider} did not grant access.`
  return new FlowFailure(reason, sentence)
}

const setUp = (provider: string) =>
  `${provider} did not accept the request from this application. Ask its operator to check the provider app.`

const sentences = new Map<string, (provider: string) => string>(
  Object.entries({
    access_denied: (provider: string) => `Access to ${provider} was not granted.`,
    invalid_scope: (provider: string) => `${provider} does not offer the requested scopes to this application.`,
    invalid_request: setUp,
    unauthorized_client: setUp,
    unsupported_response_type: setUp,
    server_error: (provider: string) => `${provider} reported an internal error. Try again later.`,
    temporarily_unavailable: (provider: string) => `${provider} is overloaded or under maintenance. Try again later.`,
  }),
)
