import { type FieldFilter, FieldsNotSearchable, type ReadPage } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { ProviderCall } from '../../provider-calls/calls/index.ts'
import { askProvider, type DescribeServices } from '../../provider-calls/object-metadata/index.ts'

/** A question in the provider's names and values. */
export interface LiveSearch {
  objectName: string
  fields: 'all' | readonly string[]
  filters: readonly FieldFilter[]
  /** `nextPage` of the page before. */
  page?: string
  pageSize?: number
}

/**
 * Searches the account of an installation while a caller waits. Returns what the provider file does not allow instead
 * of throwing it.
 *
 * @param options.calls gets each request once it has ended
 * @throws the problem of the provider's failure
 */
export function searchLive(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, module }: Pick<InstallationRecord, 'connectionId' | 'module'>,
  { objectName, ...question }: LiveSearch,
  signal: AbortSignal,
  options: { calls?: ProviderCall[] } = {},
): Promise<ReadPage | FieldsNotSearchable | 'cannot search'> {
  return askProvider<ReadPage | FieldsNotSearchable | 'cannot search'>(
    db,
    services,
    { connectionId, module },
    signal,
    async (connector, deadline) => {
      if (!connector.canSearch(objectName)) return 'cannot search'
      try {
        return await connector.search({ object: objectName, ...question, signal: deadline })
      } catch (error) {
        if (error instanceof FieldsNotSearchable) return error
        throw error
      }
    },
    options,
  )
}
