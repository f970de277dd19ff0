import { type Catalogue, chooseCredential, type ProviderEntry, withScheme } from '@mortise/providers'
import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../kernel/net/index.ts'
import { unknownProvider } from '../../integrations/catalogue/index.ts'
import { customCredential, type StoredCredential } from '../credentials/index.ts'
import { apiKeyIssues } from './api-key-issues.ts'
import { customInputProblem } from './custom-input-problem.ts'
import { machineGrantOf } from './machine-grant.ts'
import { metadataIssues } from './metadata-issues.ts'
import type { NewConnection } from './new-connection.ts'
import { CredentialNotImplemented } from './problems.ts'
import { metadataValues, normalizeMetadata } from './provider-metadata.ts'
import type { CredentialInput, GenerateConnectionRequest } from './requests.ts'
import { schemeIssues } from './scheme-issues.ts'
import type { AuthScheme } from './schemes.ts'

type CheckServices = { catalogue: Catalogue; guard: AddressGuard }

/**
 * Validates a request and returns the connection to store.
 *
 * @throws InvalidInput listing every issue
 * @throws CredentialNotImplemented if this release cannot turn the provider's inputs into a credential
 */
export function checkedConnection({ catalogue, guard }: CheckServices, body: GenerateConnectionRequest): NewConnection {
  const entry = catalogue.find(body.provider)
  if (!entry) throw new InvalidInput({ issues: [unknownProvider(catalogue, body.provider, 'provider')] })
  const providerMetadata = normalizeMetadata(body.providerMetadata)
  const workspaceRef = body.providerWorkspaceRef || undefined
  const chosen = chosenCredential(entry, body)
  const issues = [
    ...schemeIssues(entry, body.schemeName),
    ...metadataIssues(entry, guard, { values: metadataValues(providerMetadata), workspaceRef }),
  ]
  if ('issues' in chosen) throw new InvalidInput({ issues: [...issues, ...chosen.issues] })
  // Before the inputs: correcting them would not help.
  if ('later' in chosen)
    throw new CredentialNotImplemented({
      detail: `${entry.displayName} issues a token for ${chosen.later}, but its provider file does not describe how.`,
    })
  if (issues.length > 0) throw new InvalidInput({ issues })
  return {
    provider: body.provider,
    groupRef: body.groupRef,
    groupName: body.groupName || undefined,
    consumerRef: body.consumerRef,
    consumerName: body.consumerName || undefined,
    providerWorkspaceRef: workspaceRef,
    providerMetadata,
    schemeName: undefined,
    ...chosen,
  }
}

/**
 * Returns further issues of a request that fails its schema: validates the valid parts as `checkedConnection` would.
 *
 * @param known the issues that the schema found
 */
export function furtherIssues(body: unknown, known: readonly Issue[], { catalogue, guard }: CheckServices): Issue[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const faulty = new Set(known.map(({ name }) => name.split(/[.[]/, 1)[0]))
  const sound = Object.fromEntries(
    // A forbidden character ends the schema check early, so the types are not certain.
    Object.entries(body).filter(([name, value]) => !faulty.has(name) && value !== null),
  ) as Partial<GenerateConnectionRequest>
  const { provider, providerWorkspaceRef } = sound
  if (typeof provider !== 'string') return []
  const entry = catalogue.find(provider)
  if (!entry) return [unknownProvider(catalogue, provider, 'provider')]
  const canValidate = !faulty.has('providerMetadata') && !faulty.has('providerWorkspaceRef')
  const values = metadataValues(normalizeMetadata(sound.providerMetadata))
  const schemes = typeof sound.schemeName === 'string' ? schemeIssues(entry, sound.schemeName) : []
  const issues = canValidate ? metadataIssues(entry, guard, { values, workspaceRef: textOf(providerWorkspaceRef) }) : []
  issues.push(...schemes)
  const blocks = ['apiKey', 'basicAuth', 'customAuth', 'oauth2AuthorizationCode', 'oauth2ClientCredentials']
  const credentialFaulty = [...blocks, 'oauth2PasswordCredentials', 'schemeName'].some((block) => faulty.has(block))
  const chosen = credentialFaulty ? undefined : chosenCredential(entry, sound)
  return chosen && 'issues' in chosen ? [...issues, ...chosen.issues] : issues
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

type Chosen =
  | { authScheme: AuthScheme; schemeName?: string; credential: StoredCredential }
  | { later: string }
  | { issues: Issue[] }

function chosenCredential(entry: ProviderEntry, body: CredentialInput): Chosen {
  const wanted = schemeIssues(entry, body.schemeName).length > 0 ? undefined : body.schemeName || undefined
  const choice = chooseCredential(entry, body, wanted)
  if ('later' in choice) return choice
  if ('takes' in choice) {
    if (choice.missing.length > 0)
      return {
        issues: choice.missing.map(customInputProblem),
      }
    const takes = choice.takes.join(', or ') || 'nothing that this release can use'
    return {
      issues: [
        {
          in: 'body',
          name: 'body',
          detail: `The request holds no credential that the provider ${entry.name} takes. It takes: ${takes}.`,
          remedy: 'Send one of these in the body.',
        },
      ],
    }
  }
  const { authScheme, credential, schemeName } = choice
  const named = { authScheme, ...(schemeName !== undefined && { schemeName }) }
  if (credential.scheme === 'apiKey') {
    const issues = apiKeyIssues(entry, schemeName, credential.apiKey)
    if (issues.length > 0) return { issues }
  }
  if (credential.scheme === 'custom') {
    const its = (schemeName !== undefined && withScheme(entry, schemeName)) || entry
    return { ...named, credential: customCredential(its, credential.values) }
  }
  if (credential.scheme !== 'oauth2') return { ...named, credential }
  if ('grant' in credential)
    return { ...named, credential: { scheme: 'oauth2', grant: machineGrantOf(credential.grant, body) } }
  const { accessToken, refreshToken, scopes } = body.oauth2AuthorizationCode ?? {}
  return {
    ...named,
    credential: {
      scheme: 'oauth2',
      ...(accessToken && { accessToken }),
      ...(refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
    },
  }
}
