import { type Catalogue, jobToAbort, webhooksOf } from '@mortise/providers'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { detachConnection } from '../../accounts/connections/index.ts'
import type { InstallationHooks } from '../../integrations/installations/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { listPagesOf } from '../reading/index.ts'
import { deleteEventsOf } from './inbound-store.ts'
import { tearDownJob } from './job-references.ts'
import { requestOf } from './set-up.ts'
import { listRegistrations } from './store.ts'
import { encryptTeardown, type Teardown } from './teardown.ts'
import { insertTeardown } from './teardown-store.ts'

/**
 * Installations are to go: what was registered for them, and the jobs of the provider that their reads wait for, are
 * ended by a job. Their connections may go in the same transaction, so the job gets along what authenticates, and what
 * renews that.
 */
export async function planTeardowns(
  tx: ProjectDb,
  services: { queue: JobQueue; keyring: Keyring; catalogue: Catalogue; newId: NewId; work: Work; publicUrl: string },
  { installationIds }: Parameters<InstallationHooks['installationsDeleting']>[1],
): Promise<void> {
  await deleteEventsOf(tx, installationIds)
  const rows = (await listRegistrations(tx, installationIds)).filter(({ provider_id }) => provider_id !== null)
  const byInstallation = Map.groupBy(rows, (row) => row.installation_id)
  const pages = Map.groupBy(await listPagesOf(tx, installationIds), (page) => page.installationId)
  const items: { data: { projectId: string; id: string }; key: string }[] = []
  for (const installationId of new Set([...byInstallation.keys(), ...pages.keys()])) {
    const installation = await findInstallation(tx, installationId)
    if (!installation) continue
    const entry = services.catalogue.find(installation.provider)
    const registered = byInstallation.get(installationId) ?? []
    const registrations = webhooksOf(entry, installation.module)?.registration
      ? registered.filter(({ connection_id }) => connection_id === installation.connectionId)
      : []
    const jobs = (pages.get(installationId) ?? []).flatMap(({ objectName, page }) => {
      const id = entry && jobToAbort(entry, installation.module, objectName, page)
      return id === undefined ? [] : [{ objectName, id }]
    })
    if (registrations.length + jobs.length === 0) continue
    const connection = await detachConnection(tx, services, installation.connectionId)
    if (!connection) continue
    const teardown: Teardown = {
      connection,
      ...(installation.module !== undefined && { module: installation.module }),
      registrations: registrations.map((row) => ({
        ...requestOf(tx, services, installation, row),
        id: row.provider_id ?? '',
      })),
      ...(jobs.length > 0 && { jobs }),
    }
    const id = services.newId()
    const encrypted = encryptTeardown(services, tx.projectId, id, teardown)
    await insertTeardown(tx, { id, provider: connection.provider, encrypted, due: services.work.now() })
    items.push({ data: { projectId: tx.projectId, id }, key: id })
  }
  await services.queue.enqueueAll(tx, tearDownJob, items)
}
