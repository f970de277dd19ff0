import { type Catalogue, webhooksOf } from '@mortise/providers'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { detachConnection } from '../../accounts/connections/index.ts'
import type { InstallationHooks } from '../../integrations/installations/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { deleteEventsOf } from './inbound-store.ts'
import { tearDownJob } from './job-references.ts'
import { requestOf } from './set-up.ts'
import { listRegistrations } from './store.ts'
import { encryptTeardown, type Teardown } from './teardown.ts'
import { insertTeardown } from './teardown-store.ts'

/**
 * Installations are to go: what was registered for them is ended by a job. Their connections may go in the same
 * transaction, so the job gets along what authenticates, and what renews that.
 */
export async function planTeardowns(
  tx: ProjectDb,
  services: { queue: JobQueue; keyring: Keyring; catalogue: Catalogue; newId: NewId; work: Work; publicUrl: string },
  { installationIds }: Parameters<InstallationHooks['installationsDeleting']>[1],
): Promise<void> {
  await deleteEventsOf(tx, installationIds)
  const rows = (await listRegistrations(tx, installationIds)).filter(({ provider_id }) => provider_id !== null)
  const byInstallation = Map.groupBy(rows, (row) => `${row.installation_id} ${row.connection_id}`)
  const items: { data: { projectId: string; id: string }; key: string }[] = []
  for (const registrations of byInstallation.values()) {
    const [{ installation_id, connection_id } = { installation_id: '', connection_id: '' }] = registrations
    const installation = await findInstallation(tx, installation_id)
    if (!installation || installation.connectionId !== connection_id) continue
    const entry = services.catalogue.find(installation.provider)
    if (!webhooksOf(entry, installation.module)?.registration) continue
    const connection = await detachConnection(tx, services, connection_id)
    if (!connection) continue
    const teardown: Teardown = {
      connection,
      ...(installation.module !== undefined && { module: installation.module }),
      registrations: registrations.map((row) => ({
        ...requestOf(tx, services, installation, row),
        id: row.provider_id ?? '',
      })),
    }
    const id = services.newId()
    const encrypted = encryptTeardown(services, tx.projectId, id, teardown)
    await insertTeardown(tx, { id, provider: connection.provider, encrypted, due: services.work.now() })
    items.push({ data: { projectId: tx.projectId, id }, key: id })
  }
  await services.queue.enqueueAll(tx, tearDownJob, items)
}
