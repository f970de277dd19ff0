import { chooseCredential, inputIssues, type MetadataInput, type ProviderEntry } from '@mortise/providers'
import { InvalidInput, type Issue } from '../../kernel/http/index.ts'
import type { AddressGuard } from '../../kernel/net/index.ts'
import type { Services } from '../../services.ts'
import type { StoredCredential } from './credential.ts'
import { metadataValues, normaliseMetadata } from './model.ts'
import type { GenerateConnectionRequest } from './new-connection.ts'
import type { AuthScheme } from './resource.ts'
import type { NewConnection } from './service.ts'

/** Turns a request into a connection that can be kept. @throws InvalidInput naming everything that is wrong with it */
export function checkedConnection(
  { catalogue, guard }: Pick<Services, 'catalogue' | 'guard'>,
  body: GenerateConnectionRequest,
): NewConnection {
  const entry = catalogue.find(body.provider)
  if (!entry) throw new InvalidInput({ issues: [unknownProvider(catalogue, body.provider)] })
  const providerMetadata = normaliseMetadata(body.providerMetadata)
  const workspaceRef = body.providerWorkspaceRef || undefined
  const chosen = chosenCredential(entry, body)
  const issues = metadataIssues(entry, guard, metadataValues(providerMetadata), workspaceRef)
  if ('issue' in chosen) issues.push(chosen.issue)
  if (issues.length > 0 || 'issue' in chosen) throw new InvalidInput({ issues })
  return {
    provider: body.provider,
    groupRef: body.groupRef,
    groupName: body.groupName || undefined,
    consumerRef: body.consumerRef,
    consumerName: body.consumerName || undefined,
    providerWorkspaceRef: workspaceRef,
    providerMetadata,
    ...chosen,
  }
}

function unknownProvider(catalogue: Services['catalogue'], provider: string): Issue {
  const meant = catalogue.suggest(provider)
  return {
    in: 'body',
    name: 'provider',
    value: provider,
    detail: `There is no provider of the name ${JSON.stringify(provider)}; names are case-sensitive.`,
    ...(meant !== undefined && { remedy: `Did you mean ${JSON.stringify(meant)}?` }),
  }
}

function chosenCredential(
  entry: ProviderEntry,
  body: GenerateConnectionRequest,
): { authScheme: AuthScheme; credential: StoredCredential } | { issue: Issue } {
  const choice = chooseCredential(entry, body)
  if ('takes' in choice) {
    const takes = choice.takes.join(', or ') || 'nothing that this release can use'
    return {
      issue: {
        in: 'body',
        name: 'body',
        detail: `The request holds no credential that the provider ${entry.name} takes. It takes: ${takes}.`,
        remedy: 'Send one of these in the body.',
      },
    }
  }
  const { authScheme, credential } = choice
  if (credential.scheme !== 'oauth2') return { authScheme, credential }
  const { accessToken, refreshToken, scopes } = body.oauth2AuthorizationCode ?? {}
  return {
    authScheme,
    credential: {
      scheme: 'oauth2',
      accessToken: accessToken ?? { token: credential.accessToken },
      ...(refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
    },
  }
}

/** Missing and unusable inputs, and those that name an address which the service must not speak to. */
function metadataIssues(
  entry: ProviderEntry,
  guard: AddressGuard,
  values: Record<string, string>,
  workspaceRef: string | undefined,
): Issue[] {
  const issues = inputIssues(entry, undefined, values, workspaceRef).map(({ name, problem, detail }): Issue => {
    const place = name === 'workspace' ? 'providerWorkspaceRef' : `providerMetadata.${name}`
    return {
      in: 'body',
      name: place,
      ...(problem === 'invalid' && { value: values[name] ?? workspaceRef }),
      detail,
      remedy: remedyFor(
        entry.inputs.find((input) => input.name === name),
        place,
      ),
    }
  })
  const faulty = new Set(issues.map(({ name }) => name))
  for (const input of entry.inputs) {
    const value = values[input.name] ?? input.default
    const name = `providerMetadata.${input.name}`
    if (value === undefined || faulty.has(name)) continue
    const refusal = refusalOf(guard, input, value)
    if (refusal) issues.push({ in: 'body', name, value, detail: refusal.reason, remedy: refusal.remedy })
  }
  return issues
}

function remedyFor(input: MetadataInput | undefined, place: string): string {
  const where = input?.docsUrl === undefined ? '' : ` See ${input.docsUrl}.`
  return `${input?.prompt ? `${input.prompt.replace(/\.?$/, '.')} ` : ''}Send it as ${place}.${where}`
}

function refusalOf(guard: AddressGuard, { kind }: MetadataInput, value: string) {
  if (kind !== 'url' && kind !== 'host') return undefined
  const url = URL.parse(kind === 'url' ? value : `https://${value}`)
  if (!url) return undefined
  // RFC 6761, 6.3: these names are loopback without any look-up. All other names are judged by what they resolve to, on connecting.
  if (/(^|\.)localhost\.?$/.test(url.hostname)) url.hostname = '127.0.0.1'
  return guard.checkUrl(url)
}
