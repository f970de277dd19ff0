import type { Output } from '@mortise/client'

type Connection = Pick<Output<'getConnection'>, 'authScheme' | 'schemeName'>

const schemes: Record<Connection['authScheme'], string> = {
  none: 'Nothing',
  apiKey: 'API key',
  basic: 'User and password',
  'oauth2/authorizationCode': 'OAuth, by a person',
  'oauth2/authorizationCodePKCE': 'OAuth, by a person',
  'oauth2/clientCredentials': 'OAuth, by a client',
  'oauth2/password': 'OAuth, by password',
}

/** How a connection authenticates with its provider. */
export function schemeWords({ authScheme }: Connection): string {
  return schemes[authScheme]
}
