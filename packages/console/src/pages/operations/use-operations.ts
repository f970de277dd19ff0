import type { Output } from '@mortise/client'
import { pageSize } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { type Search, useSearchPages } from '../../session/search-pages.ts'
import { client } from '../../session/session.ts'

export type Operation = Output<'searchOperations'>['results'][number]

const filterNames = [
  'actionType',
  'createdAfter',
  'createdBefore',
  'groupRef',
  'installationId',
  'integrationId',
  'objectName',
  'readType',
  'status',
] as const

/** What the address filters by, as the service takes it. */
export function queryOf(filters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])))
}

export type FoundOperations = Search<Operation, Output<'searchOperations'>>

/** Operations of the project that match. */
export function useOperations(query: Record<string, string>): FoundOperations {
  const project = useProjectRef()
  return useSearchPages(['searchOperations', { projectIdOrName: project, query }], (pageToken, signal) =>
    client.searchOperations(
      {
        projectIdOrName: project,
        query: { ...query, pageSize, ...(pageToken !== undefined && { pageToken }) } as never,
      },
      { signal },
    ),
  )
}

const actions: Record<string, string> = {
  read: 'Read',
  write: 'Write',
  subscribe: 'Subscription',
  proxy: 'Proxied request',
  tool: 'Tool call',
}

/** "Read of contacts", or the name of the tool that was called. */
export function titleOfOperation({ actionType, resource, readType, metadata }: Operation): string {
  const tool = metadata?.['tool']
  if (actionType === 'tool' && typeof tool === 'string') return `Tool ${tool}`
  const what = actions[actionType]
  const kind = readType && { backfill: 'Backfill', scheduled: 'Scheduled read', triggered: 'Triggered read' }[readType]
  return [kind ?? what ?? actionType, resource].filter(Boolean).join(' of ')
}

/** The result without the name of the object, which stands beside it. */
export function resultOf({ result, resource }: Operation): string | undefined {
  return result?.startsWith(`[${resource}] `) ? result.slice((resource?.length ?? 0) + 3) : result
}

export function durationOf({ createTime, updateTime, status }: Operation): number | undefined {
  if (status === 'in_progress' || updateTime === undefined) return undefined
  return Date.parse(updateTime) - Date.parse(createTime)
}

/** Where an operation's progress is, also for writes. */
export function recordsOf({ metadata }: Operation): number | undefined {
  return metadata?.progress?.recordsProcessed ?? metadata?.successfulRecordIds?.length
}

/** The agent that called a tool, as it named itself. */
export function agentOf({ metadata }: Operation): string | undefined {
  const agent = metadata?.['agent']
  return typeof agent === 'string' ? agent : undefined
}
