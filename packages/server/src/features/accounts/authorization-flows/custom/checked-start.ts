import {
  type Catalogue,
  customInputIssues,
  customScheme,
  declaredInputs,
  firstStep,
  isCustomComplete,
  type ProviderEntry,
  schemeName,
  withScheme,
} from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { InvalidInput, type Issue } from '../../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../../kernel/net/index.ts'
import { unknownProvider } from '../../../integrations/catalogue/index.ts'
import {
  customInputProblem,
  entryOfConnection,
  metadataIssues,
  metadataValues,
  normalizeMetadata,
  schemeIssues,
} from '../../connection-inputs/index.ts'
import { findCustomApp } from '../../tokens/index.ts'
import type { CustomAuthConnectRequest } from './model.ts'
import { customRedirectUri } from './redirect-uri.ts'
import type { Session } from './session.ts'

type CheckServices = { catalogue: Catalogue; guard: AddressGuard }
type Asked = Partial<CustomAuthConnectRequest>

/** Validates the first call and returns a new session. @throws InvalidInput listing every issue */
export async function checkedStart(
  db: ProjectDb,
  services: CheckServices & { keyring: Keyring; publicUrl: string },
  body: Asked,
  openerOrigin: string | undefined,
): Promise<Session> {
  const { provider = '', groupRef = '', consumerRef = '', groupName, consumerName } = body
  const issues = startIssues(services, body)
  const entry = entryOfConnection(services.catalogue, { provider, scheme_name: body.schemeName ?? null })
  const scheme = entry && customScheme(entry)
  if (!entry || !scheme) throw new InvalidInput({ issues })
  const app = await findCustomApp(db, services, entry, body.providerAppId || undefined)
  if (app.missing.length > 0 && scheme.multiStep === true) issues.push(noApp(services, entry, body.providerAppId, app))
  if (issues.length > 0) throw new InvalidInput({ issues })
  const workspaceRef = body.providerWorkspaceRef || undefined
  const providerMetadata = normalizeMetadata(body.providerMetadata)
  return {
    provider,
    schemeName: schemeName(scheme),
    groupRef,
    ...(groupName && { groupName }),
    consumerRef,
    ...(consumerName && { consumerName }),
    ...(workspaceRef !== undefined && { workspaceRef }),
    ...(providerMetadata && { providerMetadata }),
    ...(app.id !== undefined && { providerAppId: app.id }),
    ...(openerOrigin !== undefined && { openerOrigin }),
    values: declaredInputs(scheme, body.customAuth ?? {}),
    progress: firstStep,
  }
}

/** Returns further issues of a first call that fails its schema: validates the valid parts as `checkedStart` would. */
export function furtherIssues(body: unknown, known: readonly Issue[], services: CheckServices): Issue[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const first = (name: string) => name.split(/[.[]/, 1)[0] ?? name
  const faulty = new Set(known.map(({ name }) => first(name)))
  const sent = Object.entries(body).filter(([name, value]) => !faulty.has(name) && value !== null)
  const sound = Object.fromEntries(sent) as Record<string, unknown>
  if (typeof sound['sessionId'] === 'string' && sound['sessionId'] !== '') return []
  // A forbidden character ends the schema check early, so the types are not certain.
  for (const [name, value] of sent) {
    const isMap = name === 'customAuth' || name === 'providerMetadata'
    if (isMap ? typeof value !== 'object' || Array.isArray(value) : typeof value !== 'string') delete sound[name]
  }
  return startIssues(services, sound as Asked).filter(({ name }) => !faulty.has(first(name)))
}

function startIssues({ catalogue, guard }: CheckServices, body: Asked): Issue[] {
  const issues = (['provider', 'groupRef', 'consumerRef'] as const)
    .filter((name) => !body[name])
    .map(
      (name): Issue => ({
        in: 'body',
        name,
        detail: 'Required to start.',
        remedy: `Send ${name}, or a sessionId to continue.`,
      }),
    )
  if (!body.provider) return issues
  const entry = catalogue.find(body.provider)
  if (!entry) return [...issues, unknownProvider(catalogue, body.provider, 'provider')]
  const unknown = schemeIssues(entry, body.schemeName)
  if (unknown.length > 0) return [...issues, ...unknown]
  const scheme = customScheme((body.schemeName && withScheme(entry, body.schemeName)) || entry)
  if (scheme?.multiStep !== true || !isCustomComplete(scheme))
    return [...issues, noConversation(entry, scheme?.multiStep)]
  const values = metadataValues(normalizeMetadata(body.providerMetadata))
  const accountValues = { values, workspaceRef: body.providerWorkspaceRef || undefined }
  return [
    ...issues,
    ...metadataIssues(entry, guard, accountValues),
    ...customInputIssues(scheme, body.customAuth ?? {}).map(customInputProblem),
  ]
}

function noConversation(entry: ProviderEntry, multiStep: boolean | undefined): Issue {
  const location = { in: 'body', name: 'provider', value: entry.name } as const
  if (multiStep === true)
    return {
      ...location,
      detail: `This release cannot connect accounts of ${entry.displayName}.`,
      remedy: 'Describe its steps in your own provider file (MORTISE_PROVIDERS_DIR).',
    }
  return {
    ...location,
    detail: `${entry.displayName} does not use multi-step authentication.`,
    remedy:
      'Connect them with POST /v1/projects/{projectIdOrName}/connections:generate, or POST /v1/oauth-connect if the provider uses OAuth.',
  }
}

function noApp(
  services: { publicUrl: string },
  entry: ProviderEntry,
  id: string | undefined,
  { missing }: { missing: string[] },
): Issue {
  return {
    in: 'body',
    name: 'providerAppId',
    ...(id && { value: id }),
    detail: `The project has no${id ? ' such' : ''} provider app at ${entry.displayName} that holds ${missing.join(', ')}.`,
    remedy: `Register an app at ${entry.displayName} with the redirect URL ${customRedirectUri(services)}, and store it with POST /v1/projects/{projectIdOrName}/provider-apps.`,
  }
}
