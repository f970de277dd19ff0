import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { refreshHealth } from '../../../integrations/installations/index.ts'
import type { SubscribeServices } from '../subscribe-services.ts'
import { setSubscriptionError } from './stream-store.ts'

/**
 * Stores why changes do not arrive, or with null that they do. It is reported once for as long as it lasts, and once
 * when it is over.
 */
export async function reportStream(
  tx: ProjectDb,
  { hooks }: Pick<SubscribeServices, 'hooks'>,
  installationId: string,
  error: string | null,
): Promise<void> {
  const known = await setSubscriptionError(tx, installationId, error)
  if (!known || known.before === error) return
  if (error === null) await hooks.subscriptionRecovered(tx, { installationId })
  else if (known.before === null) await hooks.subscriptionsFailed(tx, [{ installationId, error }])
  await refreshHealth(tx, { installationId })
}
