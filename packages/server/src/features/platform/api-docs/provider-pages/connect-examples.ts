import { type Authentication, canAttach, type ProviderEntry, schemeName } from '@mortise/providers'
import { quoted } from '../pages/samples/curl.ts'
import { capabilityList } from './capabilities.ts'

/** How to connect an account with one authentication method. */
export interface ConnectExample {
  scheme: Authentication
  /** Commands in the order in which they are run, each with what it is for. */
  commands: { title: string; text: string }[]
}

const customer = { groupRef: 'acme', consumerRef: 'ada@acme.example' }

/**
 * Returns commands for each authentication method that this release supports. Returns none where nothing can be done
 * with the connection.
 * @param origin the public URL of the service
 */
export function connectExamples(entry: ProviderEntry, origin: string): ConnectExample[] {
  if (capabilityList(entry.implemented) === '') return []
  return entry.authentication
    .filter(canAttach)
    .map((scheme) => ({ scheme, commands: commandsOf(entry, scheme, origin) }))
}

function commandsOf(entry: ProviderEntry, scheme: Authentication, origin: string): ConnectExample['commands'] {
  const isFirst = scheme === entry.authentication[0]
  const chosen = isFirst ? {} : { schemeName: schemeName(scheme) }
  const request = { provider: entry.name, ...customer, ...chosen }
  const metadata = metadataOf(entry)
  const generate = (block: object) => ({
    title: 'With a request from your server',
    text: call(origin, 'projects/default/connections:generate', { ...request, ...block, ...metadata }),
  })
  const cli = {
    title: 'With the CLI, which prompts for the values',
    text: [
      `mortise connect --provider ${entry.name} --group acme --consumer ada@acme.example`,
      ...(isFirst ? [] : [`--scheme ${schemeName(scheme)}`]),
    ].join(' '),
  }
  switch (scheme.scheme) {
    case 'none':
      return [cli, generate({})]
    case 'apiKey':
      return [cli, generate({ apiKey: '…' })]
    case 'basic':
      return [cli, generate(scheme.apiKeyAsBasic ? { apiKey: '…' } : { basicAuth: { username: '…', password: '…' } })]
    case 'oauth2':
      return oauth2Commands(entry, scheme, origin, request, metadata)
    case 'custom': {
      const inputs = (scheme.inputs ?? []).map((input) => [String(input['name']), '…'] as const)
      const body = { customAuth: Object.fromEntries(inputs), ...metadata }
      if (!scheme.multiStep) return [cli, generate(body)]
      const text = call(origin, 'custom-auth/connect', { projectIdOrName: 'default', ...request, ...body })
      return [{ title: 'Starts the steps; the response says what comes next', text }]
    }
  }
}

function oauth2Commands(
  entry: ProviderEntry,
  { grantType, scopesRequired }: Extract<Authentication, { scheme: 'oauth2' }>,
  origin: string,
  request: object,
  metadata: object,
): ConnectExample['commands'] {
  const client = { clientId: '…', clientSecret: '…' }
  const scopes = scopesRequired ? { scopes: ['…'] } : {}
  if (grantType === 'clientCredentials' || grantType === 'password') {
    const block =
      grantType === 'password'
        ? { oauth2PasswordCredentials: { username: '…', password: '…', ...client, ...scopes } }
        : { oauth2ClientCredentials: { ...client, ...scopes } }
    const text = call(origin, 'projects/default/connections:generate', { ...request, ...block, ...metadata })
    return [{ title: 'With a request from your server', text }]
  }
  return [
    {
      title: 'Once: store the OAuth app that you registered at the provider',
      text: call(origin, 'projects/default/provider-apps', { provider: entry.name, ...client, ...scopes }),
    },
    {
      title: 'For each customer: get the URL to open in their browser',
      text: call(origin, 'oauth-connect', { projectIdOrName: 'default', ...request, ...metadata }),
    },
  ]
}

function metadataOf({ inputs, defaultModule }: ProviderEntry): { providerMetadata?: Record<string, string> } {
  const needed = inputs.filter(({ modules }) => modules === undefined || modules.includes(defaultModule ?? ''))
  if (needed.length === 0) return {}
  return { providerMetadata: Object.fromEntries(needed.map((input) => [input.name, input.default ?? '…'])) }
}

function call(origin: string, path: string, body: object): string {
  const members = Object.entries(body).map(([name, value]) => `    ${JSON.stringify(name)}: ${oneLine(value)}`)
  return [
    `curl -X POST ${quoted(`${origin}/v1/${path}`)}`,
    `-H 'X-Api-Key: YOUR_KEY'`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(`{\n${members.join(',\n')}\n  }`)}`,
  ].join(' \\\n  ')
}

/** Writes JSON as people do: `{"a": 1, "b": ["c"]}`. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([{[]) | (?=[}\]])/g, '$1')
}
