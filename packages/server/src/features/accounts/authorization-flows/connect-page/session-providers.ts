import type { Catalogue, ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { listIntegrationRows } from '../../../integrations/integrations/index.ts'
import type { SessionLimits } from './connect-session-store.ts'

/**
 * Returns the providers whose accounts a session may connect, by name: those that it is limited to, else those of the
 * integrations of the project.
 */
export async function sessionProviders(
  db: ProjectDb,
  { catalogue }: { catalogue: Catalogue },
  { limits }: { limits: SessionLimits },
): Promise<ProviderEntry[]> {
  const names = limits.providers ?? (await listIntegrationRows(db)).map(({ provider }) => provider)
  return [...new Set(names)].flatMap((name) => catalogue.find(name) ?? [])
}
