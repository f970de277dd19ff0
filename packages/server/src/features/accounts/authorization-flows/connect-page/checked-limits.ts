import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Issue } from '../../../../kernel/http/index.ts'
import { unknownProvider } from '../../../integrations/catalogue/index.ts'
import { findIntegration, listIntegrationRows } from '../../../integrations/integrations/index.ts'
import type { SessionLimits } from './connect-session-store.ts'
import type { ConnectSessionRequest } from './model.ts'

/**
 * Returns the providers and integrations that a session is limited to. Integrations imply their providers. Providers
 * without integrations imply, for a session that may install, the integrations that the project has for them now.
 */
export async function checkedLimits(
  db: ProjectDb,
  { catalogue }: { catalogue: Catalogue },
  body: ConnectSessionRequest,
): Promise<{ limits: SessionLimits; issues: Issue[] }> {
  const purpose = body.purpose ?? 'connect'
  const issues: Issue[] = []
  const named = namedProviders(body)
  for (const { at, provider } of named)
    if (!catalogue.find(provider)) issues.push(unknownProvider(catalogue, provider, at))
  const integrations = await namedIntegrations(db, body, issues)
  if (integrations.length === 0 && (purpose === 'install' || (purpose === 'connect' && named.length === 0)))
    issues.push(nothingNamed(purpose))
  const implied = [...new Set(integrations.map(({ provider }) => provider))]
  if (integrations.length > 0)
    for (const { at, provider } of named) if (!implied.includes(provider)) issues.push(notOfIntegrations(at, provider))
  const providers = named.length > 0 ? [...new Set(named.map(({ provider }) => provider))] : implied
  if (providers.length === 0) return { limits: {}, issues }
  const installable =
    integrations.length > 0 || purpose === 'connect'
      ? integrations
      : (await listIntegrationRows(db)).filter(({ provider }) => providers.includes(provider))
  const integrationIds = installable.filter(({ provider }) => providers.includes(provider)).map(({ id }) => id)
  return { limits: { providers, integrationIds }, issues }
}

interface NamedProvider {
  /** Where the request names it. */
  at: string
  provider: string
}

function namedProviders({ provider, providers = [] }: ConnectSessionRequest): NamedProvider[] {
  return [
    ...(provider ? [{ at: 'provider', provider }] : []),
    ...providers.map((provider, index) => ({ at: `providers[${index}]`, provider })),
  ]
}

async function namedIntegrations(
  db: ProjectDb,
  { integration, integrations = [] }: ConnectSessionRequest,
  issues: Issue[],
): Promise<{ id: string; provider: string }[]> {
  const named = [
    ...(integration ? [{ at: 'integration', idOrName: integration }] : []),
    ...integrations.map((idOrName, index) => ({ at: `integrations[${index}]`, idOrName })),
  ]
  const found = new Map<string, { id: string; provider: string }>()
  for (const { at, idOrName } of named) {
    const row = await findIntegration(db, idOrName)
    if (row) found.set(row.id, row)
    else
      issues.push({
        in: 'body',
        name: at,
        value: idOrName,
        detail: 'This project has no such integration.',
        remedy: 'Find its id or name with GET /v1/projects/{projectIdOrName}/integrations.',
      })
  }
  return [...found.values()]
}

function nothingNamed(purpose: 'connect' | 'install'): Issue {
  return purpose === 'install'
    ? {
        in: 'body',
        name: 'integration',
        detail: 'A session with the purpose `install` needs the integration to install.',
        remedy: 'Send integration or integrations.',
      }
    : {
        in: 'body',
        name: 'provider',
        detail: 'The session needs the provider whose account is to be connected.',
        remedy: 'Send provider, providers, integration or integrations.',
      }
}

function notOfIntegrations(at: string, provider: string): Issue {
  return {
    in: 'body',
    name: at,
    value: provider,
    detail: 'None of the integrations of the request uses this provider.',
    remedy: 'Leave it out: the integrations imply their providers.',
  }
}
