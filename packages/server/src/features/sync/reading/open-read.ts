import type { Connector, FieldFilter, ProviderRecord } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { effectiveReadObjects, findInstallation } from '../../integrations/installations/index.ts'
import { findDestinationByName } from '../../messaging/destinations/index.ts'
import type { DataMessageHeader } from '../../messaging/messages/index.ts'
import { type OpenedConnection, openConnector } from '../../provider-calls/calls/index.ts'
import type { ReadKind } from './model.ts'
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
  /** The header of every message of the run, without the operation. */
  header: DataMessageHeader
  destination: string
  /**
   * What happens to messages. `open`: they are posted. `missing`: they wait for a destination of that name. `disabled`:
   * none are created.
   */
  destinationState: 'open' | 'missing' | 'disabled'
  /** Maximum number of records in one message. */
  recordsMax: number | undefined
  /** Whether its messages are buffered until the consumer requests them. */
  onRequest: boolean
}

/** Opens the reading of an object. Undefined when the installation is deleted or no longer reads it. */
export async function openRead(
  db: ProjectDb,
  services: ReadServices,
  { installationId, objectName }: { installationId: string; objectName: string },
): Promise<OpenRead | undefined> {
  const installation = await findInstallation(db, installationId)
  const object = installation && effectiveReadObjects(installation).get(objectName)
  if (!installation || object?.destination === undefined) return undefined
  const selection = { fields: object.fields, mappings: object.mappings, valueMappings: object.valueMappings }
  const destination = await findDestinationByName(db, object.destination)
  const { connector, connection } = await openConnector(db, services, installation.connectionId, {
    module: installation.module,
    isBackground: true,
  })
  return {
    installationId,
    connection,
    objectName,
    connector,
    wanted: wantedFields(selection),
    filtersOf: (kind) => {
      const filters = (kind === 'backfill' ? object.backfillFilters : undefined) ?? object.fieldFilters ?? []
      return filters.flatMap(({ fieldName, operator, value }) =>
        value === undefined ? [] : [{ field: fieldName, operator, value }],
      )
    },
    entry: recordEntry(selection),
    header: {
      action: 'read',
      projectId: db.projectId,
      provider: connection.provider,
      groupRef: installation.groupRef,
      groupName: installation.groupName,
      consumerRef: installation.consumerRef,
      consumerName: installation.consumerName,
      installationId,
      installationUpdateTime: (installation.updateTime ?? installation.createTime).toISOString(),
      objectName: object.mapToName ?? objectName,
      rawObjectName: objectName,
      ...(connection.providerWorkspaceRef !== undefined && { workspace: connection.providerWorkspaceRef }),
    },
    destination: object.destination,
    destinationState: destination === undefined ? 'missing' : destination.disabled_time === null ? 'open' : 'disabled',
    recordsMax: object.delivery.pageSize,
    onRequest: object.delivery.mode === 'onRequest',
  }
}
