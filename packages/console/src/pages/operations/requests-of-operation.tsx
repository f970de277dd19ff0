import type { Output } from '@mortise/client'
import { useMemo } from 'react'
import { type Column, DataTable, whole } from '../../parts/data-table.tsx'
import { bytes, count } from '../../parts/numbers.ts'
import { Card } from '../../parts/page.tsx'
import { Tag } from '../../parts/status.tsx'
import { duration, Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import type { Operation } from './use-operations.ts'

type Line = Output<'listOperationLogs'>[number]
/** What a line says about its request: numbers are texts. */
type Details = NonNullable<Line['message']['details']>

interface RequestLine {
  key: string
  time: string
  what: string
  failed: boolean
  details: Details
}

const runningMs = 2_000
/** Of eight rows. */
const height = 372

/** The requests of an operation: one for each page of a read, or for records that were written together. */
export function RequestsOfOperation({ operation }: { operation: Operation }) {
  const query = useCall(
    'listOperationLogs',
    { operationId: operation.id, query: { severity: 'DEBUG' } },
    operation.status === 'in_progress' ? { everyMs: runningMs } : {},
  )
  const items = useMemo(() => query.data && requestsOf(query.data), [query.data])
  return (
    <Card flush title="Requests to the provider">
      {items?.length === 0 ? (
        <p className="muted card-empty">No request is recorded for this operation.</p>
      ) : (
        <DataTable
          label="Requests"
          columns={columns}
          list={whole(items, query)}
          keyOf={({ key }) => key}
          height={height}
          empty={null}
        />
      )}
    </Card>
  )
}

/** The lines of a log that are about a request. */
function requestsOf(lines: Line[]): RequestLine[] {
  return lines.flatMap(({ timestamp, severity, message: { msg, details } }, index) => {
    if (details?.['request'] === undefined) return []
    const failed = severity === 'ERROR' || severity === 'WARNING'
    // "Page 3: 100 records" is page 3; its records have a column.
    const what = failed ? 'Failed' : (msg.split(':', 1)[0] ?? msg)
    return [{ key: `${index}`, time: timestamp, what, failed, details }]
  })
}

const numberOr = (text: string | undefined, format: (value: number) => string) =>
  text === undefined ? '–' : format(Number(text))

const columns: Column<RequestLine>[] = [
  { id: 'what', header: 'Part', width: 110, cell: ({ what }) => <span title={what}>{what}</span> },
  {
    id: 'request',
    header: 'Request',
    cell: ({ details: { request, requests } }) => (
      <span title={request}>
        <code>{request}</code>
        {requests !== undefined && <span className="muted small"> and {count(Number(requests) - 1)} more</span>}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 95,
    cell: ({ details: { status }, failed }) => (
      <Tag {...(failed && { meaning: 'error' as const })}>{status ?? 'No response'}</Tag>
    ),
  },
  { id: 'took', header: 'Took', width: 75, align: 'right', cell: ({ details: { ms } }) => numberOr(ms, duration) },
  {
    id: 'records',
    header: 'Records',
    width: 75,
    align: 'right',
    cell: ({ details: { records } }) => numberOr(records, count),
  },
  {
    id: 'messages',
    header: 'Messages',
    width: 85,
    align: 'right',
    cell: ({ details: { messages } }) => numberOr(messages, count),
  },
  { id: 'bytes', header: 'Size', width: 80, align: 'right', cell: ({ details }) => numberOr(details['bytes'], bytes) },
  { id: 'time', header: 'When', width: 100, align: 'right', hidden: true, cell: ({ time }) => <Time at={time} /> },
]
