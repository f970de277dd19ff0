import { timeOfId } from '../../../kernel/db/index.ts'
import { actorOfAuthor } from '../../../kernel/http/index.ts'
import type { StoredEntry } from '../audit/index.ts'
import { entryResource } from '../audit/index.ts'
import type { Operation } from '../operations/index.ts'
import type { StoredEvent } from './event-store.ts'
import type { ConfigEvent, ConnectedEvent, SchemaEvent } from './history-store.ts'
import type { StoredKind, TimelineEntry, TimelineKind } from './model.ts'
import type { Target } from './target.ts'

/** Entries of a time line from what different tables store. */

export function entryOfEvent(event: StoredEvent): TimelineEntry {
  const { id, kind, details } = event
  const status = statusOf(kind, details)
  return {
    id,
    time: timeOfId(id),
    kind,
    title: titleOf(kind, details),
    ...(status && { status }),
    groupRef: event.group_ref,
    ...(event.integration_id !== null && { integrationId: event.integration_id }),
    ...(event.installation_id !== null && { installationId: event.installation_id }),
    connectionId: event.connection_id,
    ...(event.created_by !== null && { actor: actorOfAuthor(event.created_by, undefined) }),
    ...(Object.keys(details).length > 0 && { details }),
  }
}

type Details = Record<string, unknown>

function statusOf(kind: StoredKind, details: Details): TimelineEntry['status'] {
  if (kind === 'connection.status')
    return details['to'] === 'working' ? 'success' : details['to'] === 'bad_credentials' ? 'failure' : undefined
  if (kind === 'installation.health') return details['healthStatus'] === 'healthy' ? 'success' : 'failure'
  if (kind === 'subscription.failed') return 'failure'
  return kind === 'subscription.recovered' ? 'success' : undefined
}

const statusTitles: Record<string, string> = {
  created: 'The connection has a new credential, which is not checked yet.',
  working: 'The provider accepts the credential.',
  bad_credentials: 'The provider refuses the credential.',
}

function titleOf(kind: StoredKind, details: Details): string {
  switch (kind) {
    case 'connection.created':
      return 'The account was connected.'
    case 'connection.updated':
      return 'The connection was changed, or its account was connected again.'
    case 'connection.status':
      return statusTitles[String(details['to'])] ?? 'The status of the connection changed.'
    case 'connection.deleted':
      return 'The connection was deleted.'
    case 'installation.created':
      return 'The integration was installed.'
    case 'installation.config':
      return 'The config was changed.'
    case 'installation.connection':
      return 'The installation uses another connection.'
    case 'installation.health':
      return details['healthStatus'] === 'healthy' ? 'The installation is healthy.' : 'The installation is unhealthy.'
    case 'installation.deleted':
      return 'The integration was uninstalled.'
    case 'reads.paused':
      return pauseTitles[String(details['reason'])] ?? 'Scheduled reads were paused.'
    case 'reads.resumed':
      return 'Scheduled reads were resumed.'
    case 'subscription.failed':
      return 'The subscription could not be set up at the provider.'
    case 'subscription.recovered':
      return 'The subscription is set up at the provider again.'
  }
}

const pauseTitles: Record<string, string> = {
  request: 'Scheduled reads were paused on request.',
  failures: 'Scheduled reads were paused after repeated failures.',
  credentials: 'Scheduled reads were paused, because the provider refuses the credential.',
  removed: 'Scheduled reads were paused, because a deploy removed their objects.',
}

/** Ids of an installation and what it belongs to. */
function namesOf({ installations }: Target, installationId: string) {
  const found = installations.get(installationId)
  if (!found) return { installationId }
  const { groupRef, integrationId, connectionId } = found
  return { groupRef, integrationId, installationId, connectionId }
}

export function entryOfConfig(event: ConfigEvent, target: Target): TimelineEntry {
  const { id, version, createdBy, previousConfigId } = event
  const kind = version === 1 ? 'installation.created' : 'installation.config'
  return {
    id,
    time: timeOfId(id),
    kind,
    title: titleOf(kind, {}),
    ...namesOf(target, event.installationId),
    actor: actorOfAuthor(createdBy, undefined),
    details: { configId: id, version, createdBy, ...(previousConfigId !== null && { previousConfigId }) },
  }
}

export function entryOfConnection({ id, groupRef, provider }: ConnectedEvent): TimelineEntry {
  const kind = 'connection.created'
  return {
    id,
    time: timeOfId(id),
    kind,
    title: titleOf(kind, {}),
    groupRef,
    connectionId: id,
    details: { provider },
  }
}

export function entryOfSchema(event: SchemaEvent, target: Target): TimelineEntry {
  const { id, installationId, objectName, ...details } = event
  return {
    id,
    time: timeOfId(id),
    kind: 'schema.changed',
    title: `Fields of ${objectName} changed at the provider.`,
    ...namesOf(target, installationId),
    objectName,
    details,
  }
}

const operationKinds: Record<string, TimelineKind> = {
  read: 'operation.read',
  write: 'operation.write',
  subscribe: 'operation.subscribe',
  proxy: 'operation.proxy',
}

export function entryOfOperation(operation: Operation, target: Target): TimelineEntry {
  const { id, actionType, resource, status, readType, result, metadata = {}, integrationId, configId } = operation
  const progress = metadata['progress'] as { recordsProcessed?: unknown } | undefined
  return {
    id,
    time: timeOfId(id),
    kind: operationKinds[actionType] ?? 'operation.read',
    // The name of the object is a separate property.
    title: result?.replace(/^\[[^\]]*\] /, '') ?? `The ${actionType} is in progress.`,
    status,
    integrationId,
    ...namesOf(target, operation.installationId),
    ...(resource !== undefined && { objectName: resource }),
    operationId: id,
    details: {
      configId,
      ...(readType !== undefined && { readType }),
      ...(progress?.recordsProcessed !== undefined && { recordsProcessed: progress.recordsProcessed }),
      ...(operation.updateTime !== undefined && { endTime: operation.updateTime }),
    },
  }
}

export function entryOfAudit(stored: StoredEntry, target: Target): TimelineEntry {
  const { id, time, actor, action, verb, resource, outcome } = entryResource(stored)
  return {
    id,
    time,
    kind: 'audit',
    title: `Request: ${action}.`,
    status: outcome,
    ...(resource.kind === 'installation' && resource.id !== undefined && namesOf(target, resource.id)),
    ...(resource.kind === 'connection' && { connectionId: resource.id }),
    ...(target.groupRef !== undefined && { groupRef: target.groupRef }),
    actor,
    details: { action, verb, resourceKind: resource.kind },
  }
}
