import { useNavigate } from '@tanstack/react-router'
import { LinkButton } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Card } from '../../parts/page.tsx'
import { useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { messageColumns } from '../messages/message-columns.tsx'
import type { Operation } from './use-operations.ts'

const height = 320

/** The messages that an operation made: about one for each page of the provider. */
export function MessagesOfOperation({ operation }: { operation: Operation }) {
  const project = useProjectRef()
  const navigate = useNavigate()
  const list = useList('listMessages', { query: { operationId: operation.id } })
  return (
    <Card
      flush
      title="Messages made"
      actions={
        <LinkButton to={`/${project}/messages` as never} search={{ operationId: operation.id } as never}>
          Open in Messages
        </LinkButton>
      }
    >
      {list.items?.length === 0 ? (
        <p className="muted card-empty">This operation made no messages, or they are no longer kept.</p>
      ) : (
        <DataTable
          label="Messages of the operation"
          columns={messageColumns.filter(({ id }) => !['operation', 'customer', 'next'].includes(id))}
          list={list}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: `/${project}/messages/${id}` as never })}
          height={height}
          empty={null}
        />
      )}
    </Card>
  )
}
