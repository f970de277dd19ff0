import { canAttach } from '../packages/providers/src/catalogue/can-attach.ts'
import type { Authentication, ProviderEntry } from '../packages/providers/src/index.ts'
import { capabilityNames, works } from './provider-works.ts'

const somebody = { groupRef: 'acme', consumerRef: 'ada@acme.example' }
const post = `curl -sS -X POST -H "$KEY" -H 'Content-Type: application/json'`

/** How an account is connected: what is sent, for each way to authenticate that this release has. */
export function connectExamples(entry: ProviderEntry): string[] {
  const kinds = new Map<string, string>()
  for (const scheme of entry.authentication)
    if (canAttach(scheme) && !kinds.has(scheme.scheme)) kinds.set(scheme.scheme, connect(entry, scheme))
  if (kinds.size === 0 || capabilityNames(works(entry)) === '') return []
  return [
    '## Connecting an account',
    '`$MORTISE` and `$KEY` are set as in [Connecting](../connecting.md).',
    ...[...kinds.values()].map((text) => ['```sh', text, '```'].join('\n')),
  ]
}

function connect(entry: ProviderEntry, scheme: Authentication): string {
  const request = { provider: entry.name, ...somebody }
  const metadata = metadataOf(entry)
  const chosen = scheme === entry.authentication[0] ? '' : ` --scheme ${scheme.scheme}`
  const generate = (block: object) =>
    [
      '# Asks for what is needed; beneath it the same as a request.',
      `mortise connect --provider ${entry.name} --group acme --consumer ada@acme.example${chosen}`,
      call('projects/default/connections:generate', { ...request, ...block, ...metadata }),
    ].join('\n')
  switch (scheme.scheme) {
    case 'none':
      return generate({})
    case 'apiKey':
      return generate({ apiKey: '…' })
    case 'basic':
      return generate(scheme.apiKeyAsBasic ? { apiKey: '…' } : { basicAuth: { username: '…', password: '…' } })
    case 'oauth2':
      return oauth2(entry, scheme, request, metadata)
    case 'custom': {
      const inputs = (scheme.inputs ?? []).map((input) => [String(input['name']), '…'] as const)
      const body = { customAuth: Object.fromEntries(inputs), ...metadata }
      if (scheme.multiStep) return call('custom-auth/connect', { projectIdOrName: 'default', ...request, ...body })
      return generate(body)
    }
  }
}

function oauth2(
  entry: ProviderEntry,
  { grantType, scopesRequired }: Extract<Authentication, { scheme: 'oauth2' }>,
  request: object,
  metadata: object,
): string {
  const client = { clientId: '…', clientSecret: '…' }
  const scopes = scopesRequired ? { scopes: ['…'] } : {}
  if (grantType === 'clientCredentials' || grantType === 'password') {
    const block =
      grantType === 'password'
        ? { oauth2PasswordCredentials: { username: '…', password: '…', ...client, ...scopes } }
        : { oauth2ClientCredentials: { ...client, ...scopes } }
    return call('projects/default/connections:generate', { ...request, ...block, ...metadata })
  }
  return [
    '# Once: the app that you registered at the provider.',
    call('projects/default/provider-apps', { provider: entry.name, ...client, ...scopes }),
    '# Then for each customer. The answer is the URL to open in their browser.',
    call('oauth-connect', { projectIdOrName: 'default', ...request, ...metadata }),
  ].join('\n')
}

function metadataOf({ inputs, defaultModule }: ProviderEntry): { providerMetadata?: Record<string, string> } {
  const asked = inputs.filter(({ modules }) => modules === undefined || modules.includes(defaultModule ?? ''))
  if (asked.length === 0) return {}
  return { providerMetadata: Object.fromEntries(asked.map((input) => [input.name, input.default ?? '…'])) }
}

function call(path: string, body: object): string {
  const members = Object.entries(body).map(([name, value]) => `  ${JSON.stringify(name)}: ${oneLine(value)}`)
  return `${post} "$MORTISE/${path}" -d '{\n${members.join(',\n').replaceAll("'", "'\\''")}\n}'`
}

/** JSON as people write it: `{"a": 1, "b": ["c"]}`. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([{[]) | (?=[}\]])/g, '$1')
}

/** An integration that uses what this release can do with the provider; nothing where that is nothing. */
export function manifestExample(entry: ProviderEntry): string[] {
  const { name, defaultModule = '', modules, objects, file } = entry
  const module = modules[defaultModule]
  const object = works(module ?? entry).read
    ? ([...(file?.sets.get(defaultModule)?.objects ?? [])].find(([, { read }]) => read !== undefined)?.[0] ??
      objects?.[0])
    : undefined
  const actions = [
    ...(object === undefined
      ? []
      : [
          '    read:',
          '      objects:',
          `        - objectName: ${object}`,
          '          destination: webhook',
          '          schedule: "0 * * * *"',
          '          optionalFieldsAuto: all',
        ]),
    ...(works(entry).proxy ? ['    proxy:', '      enabled: true'] : []),
  ]
  if (actions.length === 0) return []
  const lines = [
    'specVersion: 1.0.0',
    'integrations:',
    `  - name: ${name}`,
    `    provider: ${name}`,
    ...(module === undefined ? [] : [`    module: ${defaultModule}`]),
    ...actions,
  ]
  return ['## An integration', ['```yaml', ...lines, '```'].join('\n')]
}
