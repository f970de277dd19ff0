import type { NewId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, InvalidInput, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import type { AddressGuard, NameResolver } from '../../../../kernel/net/index.ts'
import { findKind, newSigningSecret } from '../../kinds/index.ts'
import { encryptMetadata } from '../destination-metadata.ts'
import { destinationResource } from '../destination-resource.ts'
import { encryptSecrets } from '../destination-secrets.ts'
import { checkForwarding, forwardingOf } from '../forwarding.ts'
import type { DestinationHooks } from '../hooks.ts'
import { Destination, NewDestination, nameIssues, typeIssue } from '../model.ts'
import { DestinationNameTaken } from '../problems.ts'
import { joinSettings, readJoined, unknownSettings } from '../request-settings.ts'
import { insertDestination } from '../store.ts'

export const createDestination = endpoint({
  id: 'createDestination',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations',
  access: 'develop',
  summary: 'Create a destination.',
  description:
    'Generates a signing secret. Get the destination with `includeSecrets=true` to see it. Messages that wait for this name are then delivered.',
  tag: 'Destinations',
  params: ProjectPath,
  body: NewDestination,
  reply: { 201: Destination },
  problems: [DestinationNameTaken],
  run: async (
    { db, body },
    services: { guard: AddressGuard; names: NameResolver; keyring: Keyring; newId: NewId; hooks: DestinationHooks },
  ) => {
    const { name, type } = body
    const kind = findKind(type)
    if (!kind) throw new InvalidInput({ issues: [typeIssue(type, 'type')] })
    const { settings, issues } = readJoined(kind, joinSettings(kind, body), '', services)
    issues.push(...unknownSettings(kind, body))
    if (issues.length === 0)
      issues.push(...(await kind.checkSettings(settings, 'metadata', { ...services, project: db.projectId })))
    issues.unshift(...nameIssues(name, 'name'))
    if (issues.length > 0) throw new InvalidInput({ issues })
    const id = services.newId()
    const ids = { project_id: db.projectId, id }
    const encryptedSecrets = encryptSecrets(services.keyring, ids, { webhookSigningKey: newSigningSecret() })
    const encryptedMetadata = encryptMetadata(services.keyring, ids, settings)
    const forwarding = forwardingOf(kind, settings)
    const row = await db.transaction(async (tx) => {
      await checkForwarding(tx, { id: undefined, name, forwarding, before: undefined, at: '' })
      const inserted = await insertDestination(tx, {
        id,
        name,
        type,
        encryptedMetadata,
        encryptedSecrets,
        ...forwarding,
      })
      if (!inserted) throw new DestinationNameTaken({ detail: `This project has a destination named ${name} already.` })
      await services.hooks.destinationChanged(tx, { destinationId: id, name, kind: 'created' })
      return inserted
    })
    return reply(201, destinationResource(services.keyring, row))
  },
})
