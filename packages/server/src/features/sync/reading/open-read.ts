import type { Connector, FieldFilter, ProviderRecord } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import {
  type EffectiveReadObject,
  effectiveReadObjects,
  findInstallation,
  type InstallationRecord,
} from '../../integrations/installations/index.ts'
import { findDestinationByName } from '../../messaging/destinations/index.ts'
import type { DataMessageHeader } from '../../messaging/messages/index.ts'
import { type OpenedConnection, openConnector, type ProviderCall } from '../../provider-calls/calls/index.ts'
import type { ReadKind } from './model.ts'
import { readFilters } from './read-filters.ts'
import type { ReadServices } from './read-services.ts'
import { recordEntry, wantedFields } from './record-entry.ts'

/** What a run needs, opened once. It contains a credential: do not keep it longer than the run. */
export interface OpenRead {
  installationId: string
  connection: OpenedConnection
  objectName: string
  connector: Connector
  wanted: 'all' | string[]
  /** Returns the conditions on the records, by kind of read. */
  filtersOf(kind: ReadKind): FieldFilter[]
  entry: (record: ProviderRecord) => string
  /** Requests that no page and no log line has taken yet. */
  calls: ProviderCall[]
  /** The header of every message of the run, without the operation. */
  header: DataMessageHeader
  destination: string
  /** Its id, if it exists. */
  destinationId: string | undefined
  /**
   * What happens to messages. `open`: they are posted. `missing`: they wait for a destination of that name. `disabled`:
   * none are created.
   */
  destinationState: 'open' | 'missing' | 'disabled'
  /** Whether deleted records that the provider reports are delivered. */
  deletions: boolean
  /** Whether the ids of delivered records are stored, to be compared with those that the provider still has. */
  keepsIds: boolean
  /** Maximum number of records in one message. */
  recordsMax: number | undefined
  /** Whether its messages are buffered until the consumer requests them. */
  onRequest: boolean
}

/** An object of an installation, and what its reads need of the database besides the connection. */
export interface ReadTarget {
  installation: InstallationRecord
  object: EffectiveReadObject & { destination: string }
  destinationId: string | undefined
  destinationState: OpenRead['destinationState']
}

/** Finds what to read. Undefined when the installation is deleted or no longer reads the object. */
export async function findReadTarget(
  db: ProjectDb,
  { installationId, objectName }: { installationId: string; objectName: string },
): Promise<ReadTarget | undefined> {
  const installation = await findInstallation(db, installationId)
  const object = installation && readObjectOf(installation, objectName)
  if (!object) return undefined
  const destination = await findDestinationByName(db, object.destination)
  return { installation, object, destinationId: destination?.id, destinationState: destinationStateOf(destination) }
}

/** Returns an object that an installation reads. */
export function readObjectOf(installation: InstallationRecord, objectName: string): ReadTarget['object'] | undefined {
  const object = effectiveReadObjects(installation).get(objectName)
  return object?.destination === undefined ? undefined : { ...object, destination: object.destination }
}

export function destinationStateOf(
  destination: { disabled_time: Date | null } | undefined,
): OpenRead['destinationState'] {
  if (destination === undefined) return 'missing'
  return destination.disabled_time === null ? 'open' : 'disabled'
}

/** Opens the reading of an object. Undefined when the installation is deleted or no longer reads it. */
export async function openRead(
  db: ProjectDb,
  services: ReadServices,
  of: { installationId: string; objectName: string },
): Promise<OpenRead | undefined> {
  const target = await findReadTarget(db, of)
  return target && openTarget(db, services, target)
}

/** Opens the connection of a target. Runs no statement if this node has it cached. */
export async function openTarget(
  db: Pick<ProjectDb, 'projectId'>,
  services: ReadServices,
  { installation, object, destinationId, destinationState }: ReadTarget,
): Promise<OpenRead> {
  const { objectName } = object
  const selection = { fields: object.fields, mappings: object.mappings, valueMappings: object.valueMappings }
  const calls: ProviderCall[] = []
  const { connector, connection } = await openConnector(db, services, installation.connectionId, {
    module: installation.module,
    isBackground: true,
    countedFor: { counts: services.counts, installationId: installation.id, objectName },
    calls,
  })
  return {
    installationId: installation.id,
    connection,
    objectName,
    connector,
    wanted: wantedFields(selection),
    filtersOf: (kind) => readFilters(object, kind),
    entry: recordEntry(selection, { withIds: true }),
    calls,
    header: {
      action: 'read',
      projectId: db.projectId,
      provider: connection.provider,
      groupRef: installation.groupRef,
      groupName: installation.groupName,
      consumerRef: installation.consumerRef,
      consumerName: installation.consumerName,
      installationId: installation.id,
      installationUpdateTime: (installation.updateTime ?? installation.createTime).toISOString(),
      objectName: object.mapToName ?? objectName,
      rawObjectName: objectName,
      ...(connection.providerWorkspaceRef !== undefined && { workspace: connection.providerWorkspaceRef }),
    },
    destination: object.destination,
    destinationId,
    destinationState,
    deletions: object.deletions,
    keepsIds: object.deletionSchedule !== undefined,
    recordsMax: object.delivery.pageSize,
    onRequest: object.delivery.mode === 'onRequest',
  }
}
