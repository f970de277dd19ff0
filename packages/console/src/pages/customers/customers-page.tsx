import type { Item } from '@mortise/client'
import { useNavigate } from '@tanstack/react-router'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { CustomerLink } from '../../parts/project-links.tsx'
import { Empty } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'

type Group = Item<'listGroups'>

const columns: Column<Group>[] = [
  { id: 'name', header: 'Customer', cell: (group) => <CustomerLink {...group} /> },
  { id: 'ref', header: 'Ref', cell: ({ groupRef }) => <Id id={groupRef} />, width: 280 },
  { id: 'created', header: 'Created', cell: ({ createTime }) => <Time at={createTime} />, width: 140 },
  { id: 'updated', header: 'Changed', cell: ({ updateTime }) => <Time at={updateTime} />, width: 140, hidden: true },
]

/** The builder's customers: each has connections and installations. */
export default function CustomersPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const [{ query }] = useFilters()
  const input = { query: { ...(query !== undefined && { query }) } }
  const list = useList('listGroups', input)
  return (
    <Page title="Customers" about="Each customer is a group: your id of them, and what they connected." fills>
      <FilterBar filters={[{ name: 'query', label: 'Name or ref', kind: 'text' }]}>
        <ExportMenu id="listGroups" input={input as never} name="customers" />
      </FilterBar>
      <DataTable
        label="Customers"
        columns={columns}
        list={list}
        keyOf={({ groupRef }) => groupRef}
        onOpen={({ groupRef }) => navigate({ to: `/${project}/${paths.customer(groupRef)}` as never })}
        empty={
          query === undefined ? (
            <Empty
              title="No customers yet"
              text="A customer appears here when the first account is connected for it."
              command={`mortise connect test-customer --provider hubspot --project ${project}`}
            />
          ) : (
            <Empty
              title={`No customer has “${query}” in its name or ref`}
              text="Search by another part, or clear the filter."
            />
          )
        }
      />
    </Page>
  )
}
