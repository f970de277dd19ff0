import type { Item } from '@mortise/client'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Panel } from '../../parts/dialog.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { DiffView } from '../../parts/lazy.tsx'
import { count } from '../../parts/numbers.ts'
import { Facts } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toasts.ts'
import { useList } from '../../session/data.ts'
import { useMay, useProject, useProjectRef } from '../../session/project.tsx'
import { client } from '../../session/session.ts'
import { SettingsPage } from './settings-page.tsx'
import './settings.css'

type Entry = Item<'listProjectAuditEntries'>

const columns: Column<Entry>[] = [
  { id: 'time', header: 'Time', width: 130, cell: ({ time }) => <Time at={time} /> },
  { id: 'actor', header: 'Who', width: 220, cell: ({ actor }) => actor.name ?? words(actor.kind) },
  { id: 'action', header: 'Action', cell: ({ action }) => words(action) },
  { id: 'resource', header: 'Resource', width: 160, cell: ({ resource }) => words(resource.kind) },
  { id: 'resourceId', header: 'Id', width: 180, cell: ({ resource }) => resource.id && <Id id={resource.id} /> },
  { id: 'outcome', header: 'Outcome', width: 110, cell: ({ outcome }) => <Status state={outcome} /> },
  { id: 'address', header: 'Address', width: 140, cell: ({ address }) => address, hidden: true },
]

const names = ['action', 'resourceKind', 'resourceId', 'actorId', 'startTime', 'endTime'] as const

export default function AuditLogPage() {
  const [filters, set] = useFilters()
  const isOwner = useMay('owner')
  const orgId = useProject()?.orgId
  const query = Object.fromEntries(names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])))
  const ofOrg = filters['of'] === 'organization' && orgId !== undefined
  const project = useList('listProjectAuditEntries', { query }, { enabled: !ofOrg })
  const org = useList('listOrgAuditEntries', { orgId: orgId ?? '', query }, { enabled: ofOrg })
  const list = ofOrg ? org : project
  const open = list.items?.find(({ id }) => id === filters['entry'])
  return (
    <SettingsPage fills>
      <FilterBar
        filters={[
          ...(isOwner
            ? [{ name: 'of', label: 'Log', choices: [{ value: 'organization', label: 'organization' }] }]
            : []),
          { name: 'action', label: 'Action', kind: 'text' },
          { name: 'resourceId', label: 'Resource id', kind: 'text' },
          { name: 'actorId', label: 'Actor id', kind: 'text' },
          { name: 'startTime', label: 'From', kind: 'time' },
          { name: 'endTime', label: 'To', kind: 'time' },
        ]}
      >
        <Verify orgId={ofOrg ? orgId : undefined} />
        <ExportMenu id="listProjectAuditEntries" input={{ query }} name="audit-log" />
      </FilterBar>
      <DataTable
        label="Entries"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        openKey={filters['entry']}
        onOpen={({ id }) => set({ entry: id })}
        empty={
          <Empty
            title="No entries"
            text="Each change through the API leaves an entry here: who, what, from where, before and after."
          />
        }
      />
      <Panel open={open !== undefined} onClose={() => set({ entry: undefined })} title={open ? words(open.action) : ''}>
        {open && <EntryFacts entry={open} />}
      </Panel>
    </SettingsPage>
  )
}

function EntryFacts({ entry }: { entry: Entry }) {
  const text = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))
  return (
    <>
      <Facts
        facts={[
          ['Time', <Time key="time" at={entry.time} format="absolute" />],
          ['Who', `${entry.actor.name ?? ''} (${words(entry.actor.kind).toLowerCase()})`],
          ['Actor id', entry.actor.id && <Id key="actor" id={entry.actor.id} />],
          ['Resource', words(entry.resource.kind)],
          ['Resource id', entry.resource.id && <Id key="resource" id={entry.resource.id} />],
          ['Outcome', <Status key="outcome" state={entry.outcome} />],
          ['Address', entry.address],
          ['Client', entry.userAgent],
          ['Request', entry.requestId && <Id key="request" id={entry.requestId} />],
        ]}
      />
      {(entry.before !== undefined || entry.after !== undefined) && (
        <div className="audit-diff">
          <h3>Before and after</h3>
          <DiffView before={text(entry.before)} after={text(entry.after)} />
        </div>
      )}
    </>
  )
}

/** Verifies the whole chain, page by page. */
function Verify({ orgId }: { orgId: string | undefined }) {
  const project = useProjectRef()
  const [checked, setChecked] = useState<number>()
  async function verify() {
    let pageToken: string | undefined
    let entries = 0
    setChecked(0)
    try {
      do {
        const query = pageToken === undefined ? {} : { pageToken }
        const page =
          orgId === undefined
            ? await client.verifyProjectAuditLog({ projectIdOrName: project, query })
            : await client.verifyOrgAuditLog({ orgId, query })
        if (page.fault)
          return toast({
            title: 'The log was changed',
            text: `${words(page.fault.kind)} ${page.fault.entryId ?? ''}`,
            kind: 'error',
          })
        entries += page.checkedEntries
        setChecked(entries)
        pageToken = page.nextPageToken
      } while (pageToken !== undefined)
      toast({ title: `The log is intact: ${count(entries)} entries verified`, kind: 'success' })
    } catch (error) {
      toast({
        title: 'The log could not be verified',
        text: error instanceof Error ? error.message : String(error),
        kind: 'error',
      })
    } finally {
      setChecked(undefined)
    }
  }
  return (
    <Button busy={checked !== undefined} onClick={verify}>
      {checked === undefined ? 'Verify' : `${count(checked)} verified`}
    </Button>
  )
}
