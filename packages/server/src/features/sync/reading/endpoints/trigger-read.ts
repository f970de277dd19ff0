import { Type } from 'typebox'
import { endpoint, InvalidInput, type Issue, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { publishDue, type Work } from '../../../../kernel/work/index.ts'
import {
  type EffectiveReadObject,
  effectiveReadObjects,
  findInstallationOfGroup,
  lockInstallation,
} from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { beginOperation } from '../../../platform/operations/index.ts'
import { backfillAgain, backfillWindow } from '../begin-backfills.ts'
import { triggerCheck } from '../deletion-checks/trigger-check.ts'
import { namesOf } from '../installation-object.ts'
import { TriggerReadRequest } from '../model.ts'
import { insertRuns } from '../run-store.ts'
import { storedRunsLoop } from '../stored-runs-loop.ts'
import type { SyncServices } from '../sync.ts'

export const triggerRead = endpoint({
  id: 'triggerRead',
  method: 'POST',
  path: '//read/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}',
  access: 'operate',
  summary: 'Read an object now, in the background.',
  tag: 'Read',
  audit: { exempt: 'is an operation' },
  params: Path({ projectIdOrName: Ref, integrationId: Ref, objectName: Ref }),
  body: TriggerReadRequest,
  reply: { 201: Type.Object({ operationId: Type.String({ description: 'The operation of the read.' }) }) },
  problems: [InvalidInput, IntegrationNotFound],
  run: async ({ db, params, body }, services: SyncServices & { work: Work }) => {
    const { newId, now } = services
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const issues: Issue[] = []
    const since = body.sinceTimestamp === undefined ? null : new Date(body.sinceTimestamp)
    const until = body.untilTimestamp === undefined ? now() : new Date(body.untilTimestamp)
    if (since && since > until)
      issues.push({
        in: 'body',
        name: 'untilTimestamp',
        value: body.untilTimestamp,
        detail: 'untilTimestamp must not be before sinceTimestamp.',
      })
    const installation = await findInstallationOfGroup(db, integration.id, body.groupRef)
    const notInstalled: Issue = {
      in: 'body',
      name: 'groupRef',
      value: body.groupRef,
      detail: 'This group has no installation of the integration.',
      remedy: 'Install the integration for the group first.',
    }
    if (!installation) issues.push(notInstalled)
    const objects = installation && effectiveReadObjects(installation)
    const objectName = objects && namesOf(objects.values()).get(params.objectName)
    const object = objectName === undefined ? undefined : objects?.get(objectName)
    if (installation && !object)
      issues.push({
        in: 'path',
        name: 'objectName',
        value: params.objectName,
        detail: 'The installation reads no object of this name.',
      })
    if (object?.disabled)
      issues.push({
        in: 'path',
        name: 'objectName',
        value: params.objectName,
        detail: 'The config of the installation disables this object.',
        remedy: 'Set `disabled` to false in the config first.',
      })
    if (body.deletions === true) issues.push(...checkIssues(body, object))
    else if (body.backfill === true) issues.push(...backfillIssues(body, object, now()))
    if (issues.length > 0 || !installation || !object) throw new InvalidInput({ issues })
    const operationId = await db.transaction(async (tx) => {
      // It may have been deleted since it was looked up.
      if (!(await lockInstallation(tx, installation.id))) throw new InvalidInput({ issues: [notInstalled] })
      if (body.deletions === true) {
        const operationId = await triggerCheck(tx, services, installation, object)
        if (operationId === undefined) throw new InvalidInput({ issues: [notCompared] })
        return operationId
      }
      if (body.backfill === true) return backfillAgain(tx, { newId, now }, installation, object)
      const id = newId()
      await beginOperation(tx, {
        id,
        integrationId: integration.id,
        installationId: installation.id,
        configId: installation.configId,
        actionType: 'read',
        readType: 'triggered',
        resource: object.objectName,
        metadata: { objects: [object.objectName] },
      })
      await insertRuns(tx, installation.id, [
        { operationId: id, objectName: object.objectName, kind: 'triggered', since, until },
      ])
      await publishDue(tx, storedRunsLoop)
      return id
    })
    return reply(201, { operationId })
  },
})

const notCompared: Issue = {
  in: 'body',
  name: 'deletions',
  value: true,
  detail: 'Deleted records of this object are not looked for.',
  remedy: 'Declare `deletions` with a `schedule` in the manifest or the config.',
}

function checkIssues(body: TriggerReadRequest, object: EffectiveReadObject | undefined): Issue[] {
  const issues = superfluous(body, ['sinceTimestamp', 'untilTimestamp', 'backfill'], {
    detail: 'A check for deleted records looks at all records.',
    key: 'deletions',
  })
  if (object && object.deletionSchedule === undefined) issues.push(notCompared)
  return issues
}

function backfillIssues(body: TriggerReadRequest, object: EffectiveReadObject | undefined, now: Date): Issue[] {
  const issues = superfluous(body, ['sinceTimestamp', 'untilTimestamp'], {
    detail: 'A backfill has the window that the manifest or the config declares.',
    key: 'backfill',
  })
  if (object && !backfillWindow(object, now))
    issues.push({
      in: 'body',
      name: 'backfill',
      value: true,
      detail: 'No backfill is declared for this object.',
      remedy: 'Declare `backfill` in the manifest or the config, or leave out backfill to read everything.',
    })
  return issues
}

function superfluous(
  body: TriggerReadRequest,
  names: readonly ('sinceTimestamp' | 'untilTimestamp' | 'backfill')[],
  { detail, key }: { detail: string; key: string },
): Issue[] {
  return names.flatMap((name) =>
    body[name] === undefined
      ? []
      : [{ in: 'body', name, value: body[name], detail, remedy: `Leave out ${name}, or leave out ${key}.` }],
  )
}
