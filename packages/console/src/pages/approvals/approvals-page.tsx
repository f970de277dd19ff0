import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Panel } from '../../parts/dialog.tsx'
import { FilterBar, type FilterDeclaration, useFilters } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { type Approval, statusNow, titleOfApproval } from './approval.ts'
import { ApprovalPanel } from './approval-panel.tsx'
import { ValueText } from './value-text.tsx'

const declared: FilterDeclaration[] = [
  {
    name: 'status',
    label: 'Status',
    required: true,
    choices: [
      { value: 'waiting', label: 'Waiting' },
      { value: 'asking', label: 'Asking the user' },
      { value: 'ended', label: 'Ended' },
      { value: 'all', label: 'All' },
    ],
  },
  { name: 'groupRef', label: 'Customer', kind: 'text' },
]

const listedStatuses = ['waiting', 'asking', 'ended'] as const

/** Calls of agents that wait for a person, and what became of others. */
export default function ApprovalsPage() {
  const [filters, set] = useFilters()
  const { status = 'waiting', groupRef, open } = filters
  const listed = listedStatuses.find((one) => one === status)
  const query = {
    ...(status !== 'all' && { status: listed ?? ('waiting' as const) }),
    ...(groupRef !== undefined && { groupRef }),
  }
  const list = useList('listApprovals', { query })
  return (
    <Page title="Approvals" about="Calls of agents that somebody must approve before they run." fills>
      <FilterBar filters={declared} />
      <DataTable
        label="Approvals"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        openKey={open}
        onOpen={({ id }) => set({ open: id })}
        empty={<Nothing status={status} groupRef={groupRef} onShowAll={() => set({ status: 'all' })} />}
      />
      <Panel open={open !== undefined} onClose={() => set({ open: undefined })} title="Approval">
        {open !== undefined && <ApprovalPanel key={open} approvalId={open} />}
      </Panel>
    </Page>
  )
}

function Nothing({
  status,
  groupRef,
  onShowAll,
}: {
  status: string
  groupRef: string | undefined
  onShowAll: () => void
}) {
  if (status === 'waiting')
    return (
      <Empty
        title="No call waits for approval"
        text={
          groupRef === undefined
            ? 'A manifest decides which actions of agents a person approves, with confirm: { update: approval }.'
            : `No call waits in the accounts of ${groupRef}.`
        }
        action={<Button onClick={onShowAll}>Show all requests</Button>}
      />
    )
  if (status === 'asking')
    return (
      <Empty
        title="No client asks its user now"
        text="A manifest decides which actions of agents the user of the MCP client confirms, with confirm: { update: user }."
        action={<Button onClick={onShowAll}>Show all requests</Button>}
      />
    )
  return (
    <Empty
      title="No requests"
      text="Requests are kept for the retention time of the service, and are deleted with their installation."
    />
  )
}

const columns: Column<Approval>[] = [
  { id: 'what', header: 'What', width: 190, cell: titleOfApproval },
  { id: 'status', header: 'Status', width: 110, cell: (approval) => <StatusNow approval={approval} /> },
  {
    id: 'customer',
    header: 'Customer',
    cell: ({ groupRef }) => <ProjectRowLink path={paths.customer(groupRef)}>{groupRef}</ProjectRowLink>,
  },
  {
    id: 'integration',
    header: 'Integration',
    width: 140,
    cell: ({ integrationName }) => (
      <ProjectRowLink path={paths.integration(integrationName)}>{integrationName}</ProjectRowLink>
    ),
  },
  { id: 'tool', header: 'Tool', width: 170, cell: ({ toolName }) => <code>{toolName}</code> },
  { id: 'agent', header: 'Agent', width: 130, cell: ({ agent }) => <ValueText value={agent} /> },
  {
    id: 'requested',
    header: 'Requested',
    width: 110,
    align: 'right',
    cell: ({ createTime }) => <Time at={createTime} />,
  },
  { id: 'expires', header: 'Expires', width: 110, align: 'right', cell: ({ expireTime }) => <Time at={expireTime} /> },
]

/** A list of requests that wait is not requested again only because one of them expires. */
function StatusNow({ approval }: { approval: Approval }) {
  return <Status state={statusNow(approval, useNow())} />
}

function ProjectRowLink({ path, children }: { path: string; children: string }) {
  return <RowLink to={`/${useProjectRef()}/${path}`}>{children}</RowLink>
}
