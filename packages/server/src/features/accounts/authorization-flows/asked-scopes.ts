import type { ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { scopesOnDemand } from '../../integrations/integrations/index.ts'
import { type ProviderAppRow, scopesOfApp } from '../../integrations/provider-apps/index.ts'

/** Returns the scopes to ask a customer for: those of the app, and what integrations need if the provider allows it. */
export async function askedScopes(
  db: ProjectDb,
  entry: ProviderEntry,
  app: Pick<ProviderAppRow, 'scopes' | 'metadata'>,
): Promise<string[]> {
  return [...(app.scopes ?? []), ...(await scopesOnDemand(db, entry, scopesOfApp(app)))]
}
