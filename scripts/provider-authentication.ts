import { canAttach } from '../packages/providers/src/catalogue/can-attach.ts'
import type { Authentication, ProviderEntry } from '../packages/providers/src/index.ts'
import { code, link, row } from './markdown.ts'

/** What the page of a provider says about authenticating. */

export function authentication(scheme: Authentication): string[] {
  const found =
    'docsUrl' in scheme && scheme.docsUrl !== undefined
      ? ` ${link('The provider’s page about it', scheme.docsUrl)}.`
      : ''
  switch (scheme.scheme) {
    case 'none':
      return ['No credential is needed.']
    case 'apiKey':
      return [`**API key**, sent ${keyPlace(scheme)}.${found}`]
    case 'basic':
      return [
        scheme.apiKeyAsBasic
          ? `**API key**, sent as user name of HTTP Basic; or user name and password.${found}`
          : `**User name and password**, sent by HTTP Basic. Some providers take a key for one of them, or for both.${found}`,
      ]
    case 'oauth2':
      return oauth2(scheme, found)
    case 'custom':
      return custom(scheme)
  }
}

function keyPlace({ attach, name, prefix = '', other }: Extract<Authentication, { scheme: 'apiKey' }>): string {
  if (attach === 'query') return `as query parameter ${code(name ?? 'api_key')}`
  if (attach === 'header') return `in the header ${code(`${name ?? 'Authorization'}: ${prefix}…`)}`
  const half = name === 'password' ? 'password' : 'user name'
  return `as ${half} of HTTP Basic${other === undefined ? '' : `, the other half being ${code(other)}`}`
}

const grants = {
  authorizationCode: 'authorization code',
  authorizationCodePKCE: 'authorization code with PKCE',
  clientCredentials: 'client credentials',
  password: 'password',
} as const

function oauth2(scheme: Extract<Authentication, { scheme: 'oauth2' }>, found: string): string[] {
  const { grantType = 'authorizationCode', authUrl, tokenUrl, scopesRequired, workspaceRequired, tokenHeader } = scheme
  const byBrowser = grantType === 'authorizationCode' || grantType === 'authorizationCodePKCE'
  const { name, prefix } = { name: 'Authorization', prefix: 'Bearer ', ...tokenHeader }
  return [
    `**OAuth 2.0**, grant ${grants[grantType]}; the access token is sent as ${code(`${name}: ${prefix}…`)}.${found}`,
    [
      ...(byBrowser
        ? [
            '- Redirect URL to register with your app there: `{origin}/callbacks/v1/oauth`, where `{origin}` is [`MORTISE_PUBLIC_URL`](../settings.md)',
          ]
        : []),
      ...(authUrl ? [`- Authorization endpoint: ${code(authUrl)}`] : []),
      `- Token endpoint: ${tokenUrl ? code(tokenUrl) : 'not known here'}`,
      `- Scopes: ${scopesRequired ? 'must be named' : 'may be left out'}${byBrowser ? ', in `scopes` of the [provider app](../provider-apps.md)' : ''}. Which there are is not known here: the provider’s documentation lists them`,
      ...(workspaceRequired ? ['- Workspace: the customer names it before authorising'] : []),
    ].join('\n'),
  ]
}

function custom(scheme: Extract<Authentication, { scheme: 'custom' }>): string[] {
  const { headers = {}, query = {}, inputs: asked = [], appInputs = [], multiStep, token } = scheme
  const places = [
    ...Object.entries(headers).map(([name, text]) => `- Header ${code(`${name}: ${text}`)}`),
    ...Object.entries(query).map(([name, text]) => `- Query parameter ${code(`${name}=${text}`)}`),
  ]
  return [
    `**Custom**${multiStep ? ', in several steps that the provider leads the customer through' : ''}.`,
    ...inputTable('Each customer gives, in `customAuth`:', asked),
    ...inputTable('Your [provider app](../provider-apps.md) gives:', appInputs),
    ...(token ? [`With that a token is had from ${code(token.request.url)}, and renewed.`] : []),
    ...(places.length > 0 ? [`Requests carry:\n\n${places.join('\n')}`] : []),
    ...(canAttach(scheme) ? [] : ['How requests are authenticated with that is not known here.']),
  ]
}

interface AskedFor {
  name: string
  displayName?: string | undefined
  prompt?: string | undefined
  docsUrl?: string | undefined
  default?: string | undefined
  modules?: readonly string[] | undefined
}

export function inputs({
  inputs: asked,
  variables = [],
  postAuthentication = [],
  appMetadata,
}: ProviderEntry): string[] {
  const app = [...(appMetadata?.authQueryParams ?? []), ...(appMetadata?.providerParams ?? [])]
  const namesOf = (asked: boolean) =>
    postAuthentication.flatMap(({ name, request }) => ((request !== undefined) === asked ? code(name) : [])).join(', ')
  return [
    ...inputTable('Each customer gives, in `providerMetadata`:', asked),
    ...(variables.length > 0
      ? [
          `URLs need, too: ${variables.map(({ name }) => code(name)).join(', ')}, from the token answer or from \`providerMetadata\`.`,
        ]
      : []),
    ...(namesOf(true) ? [`The provider is asked for after authentication: ${namesOf(true)}.`] : []),
    ...(namesOf(false)
      ? [
          `Whoever calls its API needs, too, and may keep in \`providerMetadata\`: ${namesOf(false)}. It is not asked for.`,
        ]
      : []),
    ...inputTable('Your [provider app](../provider-apps.md) may carry, in its `metadata`:', app),
  ]
}

function inputTable(title: string, asked: readonly AskedFor[]): string[] {
  if (asked.length === 0) return []
  const rows = asked.map(({ name, displayName, prompt, docsUrl, modules, ...rest }) =>
    row([
      code(name),
      displayName ?? '',
      [
        prompt ?? '',
        docsUrl === undefined ? '' : link('where to find it', docsUrl),
        rest.default === undefined ? '' : `${code(rest.default)} when not given`,
        modules === undefined ? '' : `for ${modules.map(code).join(', ')}`,
      ]
        .filter((text) => text !== '')
        .join('; '),
    ]),
  )
  return [title, [row(['Name', 'Label', '']), '|---|---|---|', ...rows].join('\n')]
}

/** A way to authenticate in a word or two. */
export function schemeName(scheme: Authentication): string {
  if (scheme.scheme === 'oauth2') return `OAuth 2.0 (${grants[scheme.grantType ?? 'authorizationCode']})`
  const names = { none: 'nothing', apiKey: 'API key', basic: 'user name and password', custom: 'inputs of its own' }
  return names[scheme.scheme]
}
