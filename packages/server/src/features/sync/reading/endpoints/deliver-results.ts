import { Empty, endpoint, InvalidInput, type Issue, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import {
  effectiveReadObjects,
  findInstallationOfGroup,
  lockInstallation,
} from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { namesOf } from '../installation-object.ts'
import { releasePages, releasePagesKey } from '../job-references.ts'
import { DeliverResultsRequest } from '../model.ts'
import { addToWanted } from '../on-request/buffered-page-store.ts'

export const deliverResults = endpoint({
  id: 'deliverResults',
  method: 'POST',
  path: '//read/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}:deliverResults',
  access: 'operate',
  summary: 'Request pages of an object that is delivered on request.',
  description:
    'Delivers queued pages now, oldest first. If fewer are queued, the rest follow as later reads produce them. Requests add up. For objects with `delivery.mode: onRequest` in the manifest.',
  tag: 'Read',
  audit: { exempt: 'is an operation' },
  params: Path({ projectIdOrName: Ref, integrationId: Ref, objectName: Ref }),
  body: DeliverResultsRequest,
  reply: { 204: Empty },
  problems: [InvalidInput, IntegrationNotFound],
  run: async ({ db, params, body }, { queue }: { queue: JobQueue }) => {
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const installation = await findInstallationOfGroup(db, integration.id, body.groupRef)
    const notInstalled: Issue = {
      in: 'body',
      name: 'groupRef',
      value: body.groupRef,
      detail: 'This group has no installation of the integration.',
      remedy: 'Install the integration for the group first.',
    }
    if (!installation) throw new InvalidInput({ issues: [notInstalled] })
    const objects = effectiveReadObjects(installation)
    const object = objects.get(namesOf(objects.values()).get(params.objectName) ?? '')
    const issue = { in: 'path' as const, name: 'objectName', value: params.objectName }
    if (!object)
      throw new InvalidInput({ issues: [{ ...issue, detail: 'The installation reads no object of this name.' }] })
    if (object.delivery.mode !== 'onRequest')
      throw new InvalidInput({
        issues: [
          {
            ...issue,
            detail: 'This object is delivered as it is read. No pages wait.',
            remedy: 'To request pages, set `delivery.mode: onRequest` and a `pageSize` on the object in the manifest.',
          },
        ],
      })
    if (body.pages === 0) return reply(204, null)
    const data = { projectId: db.projectId, installationId: installation.id, objectName: object.objectName }
    await db.transaction(async (tx) => {
      // It may have been deleted since it was looked up.
      if (!(await lockInstallation(tx, installation.id))) throw new InvalidInput({ issues: [notInstalled] })
      await addToWanted(tx, data, body.pages)
      await queue.enqueue(tx, releasePages, data, releasePagesKey(data))
    })
    return reply(204, null)
  },
})
