import {
  type Catalogue,
  type ConnectionValues,
  InvalidInputs,
  type ProviderEntry,
  providerUrl,
  schemeName,
  withScheme,
} from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../kernel/net/index.ts'
import { unknownProvider } from '../../integrations/catalogue/index.ts'
import { findProviderApp, type ProviderAppRow } from '../../integrations/provider-apps/index.ts'
import { redirectUriOf } from '../authorization-servers/index.ts'
import { metadataIssues, metadataValues, normalizeMetadata, schemeIssues } from '../connection-inputs/index.ts'
import { clientHostIssues } from '../tokens/index.ts'
import { type CodeGrant, codeGrantOf } from './code-grant.ts'
import type { OAuthConnectRequest } from './model.ts'

export type CheckServices = { catalogue: Catalogue; guard: AddressGuard; publicUrl: string }

/** An account that a customer can authorize, and the provider app that requests the authorization. */
export interface CheckedAccount {
  entry: ProviderEntry
  grant: CodeGrant
  /** Always present, unless the authorization server is looked up. */
  app: ProviderAppRow | undefined
  /** Whether the request names the app, so that no other client takes its place. */
  isAppNamed: boolean
  workspaceRef: string | undefined
  providerMetadata: Record<string, unknown> | undefined
}

type Asked = Pick<
  OAuthConnectRequest,
  'provider' | 'schemeName' | 'providerAppId' | 'providerWorkspaceRef' | 'providerMetadata'
>

/** Validates a connect request and returns the account that it describes. @throws InvalidInput listing every issue */
export async function checkedAccount(db: ProjectDb, services: CheckServices, body: Asked): Promise<CheckedAccount> {
  const { entry, grant, issues } = accountIssues(services, body)
  if (!entry || !grant) throw new InvalidInput({ issues })
  const appId = body.providerAppId || undefined
  const app = await findProviderApp(db, { id: appId, provider: entry.name })
  const needsApp = grant.discover === undefined || appId !== undefined
  if (!app && needsApp) issues.push(noApp(services, entry, appId))
  if (app && issues.length === 0)
    issues.push(
      ...clientHostIssues(entry, grant, connectionValuesOf(grant, requestedAccount(body)), app.allowed_hosts ?? []),
    )
  if (issues.length > 0) throw new InvalidInput({ issues })
  return { entry, grant, app, isAppNamed: appId !== undefined, ...requestedAccount(body) }
}

/** Returns further issues of a request that fails its schema: validates the valid parts as `checkedAccount` would. */
export function furtherIssues(body: unknown, known: readonly Issue[], services: CheckServices): Issue[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const faulty = new Set(known.map(({ name }) => name.split(/[.[]/, 1)[0]))
  const { provider, schemeName, providerWorkspaceRef, providerMetadata } = body as Record<string, unknown>
  if (typeof provider !== 'string' || faulty.has('provider')) return []
  const { issues } = accountIssues(services, {
    provider,
    ...(typeof schemeName === 'string' && { schemeName }),
    ...(typeof providerWorkspaceRef === 'string' && { providerWorkspaceRef }),
    providerMetadata,
  })
  return issues.filter(({ name }) => !faulty.has(name.split(/[.[]/, 1)[0]))
}

/** Returns the values that fill the provider's URLs until the token response provides better ones. */
export function connectionValuesOf(
  { workspaceDefault }: CodeGrant,
  account: Pick<CheckedAccount, 'workspaceRef' | 'providerMetadata'>,
): ConnectionValues {
  const metadata = metadataValues(account.providerMetadata)
  const workspaceRef = account.workspaceRef ?? (metadata['workspace'] === undefined ? workspaceDefault : undefined)
  return { metadata, ...(workspaceRef !== undefined && { workspaceRef }) }
}

function accountIssues(
  { catalogue, guard }: CheckServices,
  body: Asked,
): { entry?: ProviderEntry; grant?: CodeGrant; issues: Issue[] } {
  const fullEntry = catalogue.find(body.provider)
  if (!fullEntry) return { issues: [unknownProvider(catalogue, body.provider, 'provider')] }
  const unknown = schemeIssues(fullEntry, body.schemeName)
  if (unknown.length > 0) return { issues: unknown }
  const grant = codeGrantOf((body.schemeName && withScheme(fullEntry, body.schemeName)) || fullEntry)
  if (!grant) return { issues: [noCodeGrant(fullEntry)] }
  // The calls below use the provider's OAuth scheme: select this one, wherever it is in the file.
  const entry = withScheme(fullEntry, schemeName(grant)) ?? fullEntry
  const values = connectionValuesOf(grant, requestedAccount(body))
  const issues = metadataIssues(entry, guard, { values: values.metadata, workspaceRef: values.workspaceRef })
  // The authorization URL may need more values than the base URL.
  if (issues.length === 0 && grant.authUrl !== undefined) issues.push(...urlIssues(entry, grant.authUrl, values))
  return { entry, grant, issues }
}

function requestedAccount(body: Asked): Pick<CheckedAccount, 'workspaceRef' | 'providerMetadata'> {
  return {
    workspaceRef: body.providerWorkspaceRef || undefined,
    providerMetadata: normalizeMetadata(body.providerMetadata),
  }
}

function urlIssues(entry: ProviderEntry, url: string, values: ConnectionValues): Issue[] {
  try {
    providerUrl(entry, url, values)
    return []
  } catch (error) {
    if (!(error instanceof InvalidInputs)) throw error
    return error.issues.map(({ name, detail }) => ({
      in: 'body',
      name: name === 'workspace' ? 'providerWorkspaceRef' : `providerMetadata.${name}`,
      detail,
    }))
  }
}

function noCodeGrant(entry: ProviderEntry): Issue {
  const isConversation = entry.authentication.some((scheme) => scheme.scheme === 'custom' && scheme.multiStep === true)
  return {
    in: 'body',
    name: 'provider',
    value: entry.name,
    detail: `Accounts of ${entry.displayName} are not connected by OAuth in a browser.`,
    remedy: isConversation
      ? 'Connect them with POST /v1/custom-auth/connect.'
      : 'Connect them with POST /v1/projects/{projectIdOrName}/connections:generate.',
  }
}

function noApp(services: CheckServices, entry: ProviderEntry, id: string | undefined): Issue {
  if (id !== undefined)
    return {
      in: 'body',
      name: 'providerAppId',
      value: id,
      detail: `The project has no provider app of this id at ${entry.displayName}.`,
      remedy: 'List the provider apps of the project to find its id.',
    }
  return {
    in: 'body',
    name: 'providerAppId',
    detail: `The project has no provider app at ${entry.displayName} that customers can authorize.`,
    remedy: `Register an OAuth app at ${entry.displayName} with the redirect URL ${redirectUriOf(services)}, and store its client id and secret with POST /v1/projects/{projectIdOrName}/provider-apps.`,
  }
}
