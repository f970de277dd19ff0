import { type Authentication, canAttach, type ProviderEntry } from '@mortise/providers'
import { type Html, html } from '../../../../kernel/http/index.ts'
import { prose } from '../pages/prose.ts'
import { externalLink } from './external-link.ts'

const grants = {
  authorizationCode: 'authorization code',
  authorizationCodePKCE: 'authorization code with PKCE',
  clientCredentials: 'client credentials',
  password: 'password',
} as const

/** Names an authentication method in a word or two. */
export function methodName(scheme: Authentication): string {
  if (scheme.scheme === 'oauth2') return `OAuth 2.0 (${grants[scheme.grantType ?? 'authorizationCode']})`
  const names = { none: 'No credential', apiKey: 'API key', basic: 'User name and password', custom: 'Custom inputs' }
  return names[scheme.scheme]
}

/** Describes one authentication method: what a customer needs, and how requests carry it. */
export function methodHtml(scheme: Authentication, origin: string): Html {
  const docsUrl = 'docsUrl' in scheme ? scheme.docsUrl : undefined
  return html`${detailsOf(scheme, origin)}${
    docsUrl !== undefined && html`<p>${externalLink(docsUrl, 'Where to find the credential')}</p>`
  }`
}

function detailsOf(scheme: Authentication, origin: string): Html {
  switch (scheme.scheme) {
    case 'none':
      return html`<p>Requests carry no credential.</p>`
    case 'apiKey':
      return html`<p>${prose(`Requests carry the key ${keyLocation(scheme)}.`)}</p>`
    case 'basic':
      return html`<p>${
        scheme.apiKeyAsBasic
          ? 'Requests carry HTTP Basic authentication. The key is the user name; a user name and password work, too.'
          : 'Requests carry HTTP Basic authentication. Some providers expect an API key as user name or password.'
      }</p>`
    case 'oauth2':
      return oauth2Html(scheme, origin)
    case 'custom':
      return customHtml(scheme)
  }
}

function keyLocation({ attach, name, prefix = '', other }: Extract<Authentication, { scheme: 'apiKey' }>): string {
  if (attach === 'query') return `in the query parameter \`${name ?? 'api_key'}\``
  if (attach === 'header') return `in the header \`${name ?? 'Authorization'}: ${prefix}…\``
  const half = name === 'password' ? 'password' : 'user name'
  return `as ${half} of HTTP Basic authentication${other === undefined ? '' : `; the other half is \`${other}\``}`
}

function oauth2Html(scheme: Extract<Authentication, { scheme: 'oauth2' }>, origin: string): Html {
  const {
    grantType = 'authorizationCode',
    authUrl,
    tokenUrl,
    refreshUrl,
    scopesRequired,
    workspaceRequired,
    tokenHeader,
  } = scheme
  const usesBrowser = grantType === 'authorizationCode' || grantType === 'authorizationCodePKCE'
  const { name, prefix } = { name: 'Authorization', prefix: 'Bearer ', ...tokenHeader }
  if (scheme.discover !== undefined)
    return html`<dl class="facts">
<dt>Authorization server</dt><dd>Mortise looks it up at the MCP server, and needs no OAuth app of yours.</dd>
<dt>Requests carry</dt><dd><code>${name}: ${prefix}…</code></dd>
</dl>`
  const scopes = usesBrowser ? ', in `scopes` of the provider app' : ''
  return html`<dl class="facts">
${usesBrowser && html`<dt>Redirect URL of your OAuth app</dt><dd><code>${origin}/callbacks/v1/oauth</code></dd>`}
${authUrl !== undefined && html`<dt>Authorization endpoint</dt><dd><code>${authUrl}</code></dd>`}
<dt>Token endpoint</dt><dd>${tokenUrl === undefined ? 'Not known' : html`<code>${tokenUrl}</code>`}</dd>
${refreshUrl !== undefined && html`<dt>Token endpoint for refresh tokens</dt><dd><code>${refreshUrl}</code></dd>`}
<dt>Scopes</dt><dd>${prose(`${scopesRequired ? 'Required' : 'Optional'}${scopes}. The provider’s documentation lists them.`)}</dd>
${workspaceRequired && html`<dt>Workspace</dt><dd>Your customer enters it before they authorize.</dd>`}
<dt>Requests carry</dt><dd><code>${name}: ${prefix}…</code></dd>
</dl>`
}

function customHtml(scheme: Extract<Authentication, { scheme: 'custom' }>): Html {
  const { headers = {}, query = {}, form = {}, inputs = [], appInputs = [], multiStep, token } = scheme
  const carried = [
    ...Object.entries(headers).map(([name, text]) => `Header \`${name}: ${text}\``),
    ...Object.entries(query).map(([name, text]) => `Query parameter \`${name}=${text}\``),
    ...Object.entries(form).map(([name, text]) => `Form field \`${name}=${text}\``),
    ...(token?.cookies ? ['The cookies that the provider sets'] : []),
  ]
  return html`${multiStep && html`<p>Your customer completes several steps at the provider.</p>`}
${inputsHtml('Values from your customer, in `customAuth`', inputs)}
${inputsHtml('Values from your provider app', appInputs)}
${token && html`<p>Mortise gets a token with these values from <code>${token.request.url}</code> and renews it.</p>`}
${carried.length > 0 && html`<h4>Requests carry</h4><ul>${carried.map((text) => html`<li>${prose(text)}</li>`)}</ul>`}
${!canAttach(scheme) && html`<p>This release does not know how requests carry these values.</p>`}`
}

interface Input {
  name: string
  displayName?: string | undefined
  prompt?: string | undefined
  docsUrl?: string | undefined
  default?: string | undefined
  use?: string | undefined
  secret?: boolean | undefined
  required?: boolean | undefined
  modules?: readonly string[] | undefined
}

/** Lists what customers and the provider app enter besides the credential. */
export function furtherInputsHtml({
  inputs,
  variables = [],
  postAuthentication = [],
  appMetadata,
}: ProviderEntry): Html {
  const app = [...(appMetadata?.authQueryParams ?? []), ...(appMetadata?.providerParams ?? [])]
  const fetched = postAuthentication.filter(({ request }) => request !== undefined)
  const kept = postAuthentication.filter(({ request }) => request === undefined)
  return html`${inputsHtml('Values from your customer, in `providerMetadata`', inputs)}
${
  variables.length > 0 &&
  html`<p>URLs also need ${codes(variables)}, from the token response or from ${prose('`providerMetadata`')}.</p>`
}
${fetched.length > 0 && html`<p>After authentication, Mortise asks the provider for ${codes(fetched)}.</p>`}
${kept.length > 0 && html`<p>If your own requests need ${codes(kept)}, store it in ${prose('`providerMetadata`')}.</p>`}
${inputsHtml('Values of your provider app, in `metadata`', app)}`
}

function codes(named: readonly { name: string }[]): Html[] {
  return named.map(({ name }, index) => html`${index > 0 && ', '}<code>${name}</code>`)
}

function inputsHtml(title: string, inputs: readonly Input[]): Html {
  if (inputs.length === 0) return html``
  return html`<h4>${prose(title)}</h4>
<ul class="fields">${inputs.map(
    ({ name, displayName, prompt, docsUrl, modules, use, secret, required, default: preset }) => {
      return html`<li><code>${name}</code>${displayName !== undefined && html` <span class="type">${displayName}</span>`}${
        prompt !== undefined && prompt !== '' && html`<div>${prompt}</div>`
      }${use === 'objects' && html`<div>Needed to read and write objects only</div>`}${
        use === 'optional' && html`<div>Optional</div>`
      }${required === true && html`<div>Required</div>`}${
        secret === true && html`<div>Secret: encrypted, and never shown again</div>`
      }${preset !== undefined && html`<div>Default: <code>${preset}</code></div>`}${
        modules !== undefined && html`<div>For ${codes(modules.map((module) => ({ name: module })))}</div>`
      }${docsUrl !== undefined && html`<div>${externalLink(docsUrl, 'Where to find it')}</div>`}</li>
`
    },
  )}</ul>`
}
