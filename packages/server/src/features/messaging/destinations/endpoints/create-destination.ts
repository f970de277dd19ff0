import { endpoint, InvalidInput, type Issue, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { checkHost } from '../check-host.ts'
import { sealMetadata } from '../destination-metadata.ts'
import { destinationResource } from '../destination-resource.ts'
import { sealSecrets } from '../destination-secrets.ts'
import { maskIssues } from '../masked-metadata.ts'
import { Destination, laterTypes, NewDestination, nameIssues, webhook } from '../model.ts'
import { DestinationNameTaken } from '../problems.ts'
import { newSigningSecret } from '../signing.ts'
import { insertDestination } from '../store.ts'
import { readWebhookMetadata } from '../webhook-metadata.ts'

export const createDestination = endpoint({
  id: 'createDestination',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations',
  access: 'full',
  summary: 'Create a destination.',
  description:
    'Generates a signing secret. Get the destination with `includeSecrets=true` to see it. Messages that wait for this name are then delivered.',
  tag: 'Destinations',
  params: ProjectPath,
  body: NewDestination,
  reply: { 201: Destination },
  problems: [DestinationNameTaken],
  run: async ({ db, body }, services: Pick<Services, 'guard' | 'names' | 'keyring' | 'newId' | 'hooks'>) => {
    const { name, type } = body
    if (type !== webhook) throw new InvalidInput({ issues: [typeIssue(type)] })
    const { metadata, issues } = readWebhookMetadata(body.metadata, 'metadata', services.guard)
    issues.push(...maskIssues(body.metadata, 'metadata'))
    if (issues.length === 0) issues.push(...(await checkHost(metadata.url, 'metadata.url', services, db.projectId)))
    issues.unshift(...nameIssues(name, 'name'))
    if (issues.length > 0) throw new InvalidInput({ issues })
    const id = services.newId()
    const place = { project_id: db.projectId, id }
    const sealedSecrets = sealSecrets(services.keyring, place, { webhookSigningKey: newSigningSecret() })
    const sealedMetadata = sealMetadata(services.keyring, place, metadata)
    const row = await db.transaction(async (tx) => {
      const inserted = await insertDestination(tx, { id, name, type, sealedMetadata, sealedSecrets })
      if (!inserted) throw new DestinationNameTaken({ detail: `This project has a destination named ${name} already.` })
      await services.hooks.destinationChanged(tx, { destinationId: id, name, kind: 'created' })
      return inserted
    })
    return reply(201, destinationResource(services.keyring, row))
  },
})

function typeIssue(type: string): Issue {
  const isLater = laterTypes.some((later) => later === type)
  return {
    in: 'body',
    name: 'type',
    value: type,
    detail: isLater
      ? `Destinations of type ${type} are not part of this release: it delivers to type webhook.`
      : 'type must be webhook.',
    remedy: 'Use type webhook with the URL of your endpoint.',
  }
}
