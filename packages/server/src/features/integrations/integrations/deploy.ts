import { createHash } from 'node:crypto'
import { canonicalContent, type Manifest } from '@mortise/manifest'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { deleteUpload } from '../uploads/index.ts'
import type { IntegrationHooks } from './hooks.ts'
import { type Integration, integrationResource } from './model.ts'
import { compareIntegrations, insertRevisions, lockDeploys } from './store.ts'

export interface Deploy {
  manifest: Manifest
  /** Whether to pause objects that the newer revision removes. */
  destructive: boolean
  /** The upload that contains the manifest. The deploy deletes it. */
  uploadId?: string | undefined
  /**
   * Checks the existing integrations with the manifest's names before anything is written. Throws to stop the deploy.
   */
  precheck?: (there: ReadonlyMap<string, { id: string }>) => void
}

export interface DeployServices {
  newId: NewId
  hooks: Pick<IntegrationHooks, 'integrationsDeployed'>
}

/**
 * Deploys the integrations of a manifest in one transaction. Other integrations of the project stay as they are. An
 * integration gets a new revision only if its content or the version of the format differs. Deploys of one project run
 * one after the other.
 *
 * @returns the integrations of the manifest, in its order
 */
export async function deploy(
  db: ProjectDb,
  { manifest, destructive, uploadId, precheck: judge }: Deploy,
  { newId, hooks }: DeployServices,
): Promise<Integration[]> {
  const { specVersion } = manifest
  const wanted = manifest.integrations.map((content) => ({
    name: content.name,
    content,
    hash: hashOf(specVersion, content),
  }))
  return await db.transaction(async (tx) => {
    await lockDeploys(tx)
    const there = await compareIntegrations(
      tx,
      wanted.map(({ name, hash }) => ({ name, hash })),
    )
    const byName = new Map(there.map((integration) => [integration.name, integration]))
    judge?.(byName)

    const changed = wanted
      .filter(({ name }) => !byName.get(name)?.same)
      .map(({ name, content, hash }) => ({
        name,
        hash,
        content,
        specVersion,
        provider: content.provider,
        integrationId: byName.get(name)?.id ?? newId(),
        revisionId: newId(),
      }))
    const written = changed.length > 0 ? await insertRevisions(tx, changed) : []
    const changes = changed.map(({ integrationId, name, content }) => ({
      integrationId,
      before: byName.get(name)?.content ?? undefined,
      after: content,
    }))
    const unchanged = wanted.flatMap(({ name, content }) => {
      const known = byName.get(name)
      return known?.same ? [{ integrationId: known.id, content }] : []
    })
    await hooks.integrationsDeployed(tx, changes, { destructive, unchanged })
    if (uploadId !== undefined) await deleteUpload(tx, uploadId)

    const newById = new Map(written.map((row) => [row.id, row]))
    const newByName = new Map(changed.map((revision) => [revision.name, revision]))
    return wanted.map(({ name, content }) => {
      const common = { name, content, specVersion, provider: content.provider, projectId: tx.projectId }
      const revision = newByName.get(name)
      const row = revision && newById.get(revision.integrationId)
      if (!revision || !row) {
        const known = byName.get(name)
        if (!known) throw new Error(`The integration ${name} was neither found nor written.`)
        return integrationResource({ ...known, ...common })
      }
      // Written by this transaction, so its time is the time of the revision.
      const revisionCreateTime = row.updateTime ?? row.createTime
      return integrationResource({ ...row, ...common, revisionId: revision.revisionId, revisionCreateTime })
    })
  })
}

/** Returns a hash of a revision. Equal hashes mean equal content. */
function hashOf(specVersion: string, content: Manifest['integrations'][number]): string {
  return createHash('sha256')
    .update(`${specVersion}\n${canonicalContent(content)}`)
    .digest('hex')
}
