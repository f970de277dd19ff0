import type { FormMethod } from '../headless/wire.ts'
import type { MessageKey } from './en.ts'
import type { Translator } from './translator.ts'

/** Names that the service gives to what provider files do not name, which are English on the wire. */
const names: Readonly<Record<string, MessageKey>> = {
  'an API key': 'method.apiKey',
  'user name and password': 'method.basic',
  'client credentials': 'method.client',
  'no credential': 'method.none',
  'API key': 'label.apiKey',
  'User name': 'label.username',
  Password: 'label.password',
  'Client id': 'label.clientId',
  'Client secret': 'label.clientSecret',
  Scopes: 'label.scopes',
}

/** Returns the label of a field; one of the provider file as it is. */
export function labelText(t: Translator, label: string): string {
  const key = Object.hasOwn(names, label) ? names[label] : undefined
  return key === undefined ? label : t.text(key)
}

/** Returns the name of an authentication method, beginning with a capital letter. */
export function methodText(t: Translator, { name }: FormMethod, provider: string): string {
  if (name === `${provider} in the browser`) return t.text('method.oauth2', { provider })
  if (name === 'its own credentials') return t.text('method.custom', { provider })
  const text = labelText(t, name)
  return text.slice(0, 1).toLocaleUpperCase(t.language) + text.slice(1)
}
