import type { Item } from '@mortise/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable, whole } from '../../parts/data-table.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, SelectField, TextField } from '../../parts/fields.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status, Tag } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { SettingsPage } from './settings-page.tsx'

type ApiKey = Item<'listApiKeys'>

export default function ApiKeysPage() {
  const project = useProjectRef()
  const query = useCall('listApiKeys', {})
  const mayChange = useMay('developer')
  const columns: Column<ApiKey>[] = [
    { id: 'label', header: 'Label', cell: ({ label }) => label },
    { id: 'hint', header: 'Key', width: 160, cell: ({ hint }) => <code>{hint}</code> },
    {
      id: 'scope',
      header: 'Scope',
      width: 160,
      cell: ({ scopes }) => scopes.map((scope) => <Tag key={scope}>{scope}</Tag>),
    },
    {
      id: 'state',
      header: 'State',
      width: 110,
      cell: ({ active }) => <Status state={active ? 'active' : 'disabled'} />,
    },
    { id: 'created', header: 'Created', width: 120, cell: ({ createTime }) => <Time at={createTime} /> },
    { id: 'actions', header: 'Actions', width: 190, cell: (key) => mayChange && <KeyActions apiKey={key} /> },
  ]
  return (
    <SettingsPage actions={mayChange && <NewKey />}>
      <DataTable
        label="API keys"
        columns={columns}
        list={whole(query.data, query)}
        keyOf={({ id }) => id}
        empty={
          <Empty
            title="No API keys"
            text="Your back end calls the API with a key of scope full. Your front end uses one of scope frontend."
            command={`mortise create api-key backend --project ${project}`}
          />
        }
        height={480}
      />
      {!mayChange && <p className="muted">Developers and owners can create and change keys.</p>}
    </SettingsPage>
  )
}

function KeyActions({ apiKey: { id, label, active } }: { apiKey: ApiKey }) {
  const change = useChange('updateApiKey', {
    refreshes: ['listApiKeys'],
    done: active ? 'The key was disabled' : 'The key was enabled',
  })
  const remove = useChange('deleteApiKey', { refreshes: ['listApiKeys'], done: 'The key was deleted' })
  return (
    <span className="row small-buttons">
      <Button
        busy={change.isPending}
        onClick={() => change.mutate({ apiKey: id, body: { apiKey: { active: !active }, updateMask: ['active'] } })}
      >
        {active ? 'Disable' : 'Enable'}
      </Button>
      <ConfirmButton
        label="Delete"
        title={`Delete the key ${label}?`}
        text="Requests with this key are rejected immediately. You cannot undo this."
        action="Delete key"
        busy={remove.isPending}
        onConfirm={() => remove.mutateAsync({ apiKey: id })}
      />
    </span>
  )
}

function NewKey() {
  const [open, setOpen] = useState(false)
  const [label, setLabel] = useState('')
  const [scope, setScope] = useState('full')
  const [created, setCreated] = useState<string>()
  const create = useChange('createApiKey', {
    refreshes: ['listApiKeys'],
    showsProblem: false,
    onDone: ({ key }) => setCreated(key),
  })
  const close = () => {
    setOpen(false)
    setCreated(undefined)
    setLabel('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ body: { label, scopes: [scope] } })
  }
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Create API key
      </Button>
      <Dialog open={open} onClose={close} title={created === undefined ? 'Create an API key' : 'Copy this key now'}>
        {created !== undefined ? (
          <ShownOnce
            text="Mortise stores only a hash of it, so it cannot be shown again."
            copy="Copy the key"
            value={created}
            onDone={close}
          />
        ) : (
          <form className="form" onSubmit={submit}>
            <TextField
              label="Label"
              help="What uses the key, such as backend."
              required
              value={label}
              error={issueOf(create.error, 'label')}
              onChange={(event) => setLabel(event.target.value)}
            />
            <SelectField
              label="Scope"
              value={scope}
              onChange={(event) => setScope(event.target.value)}
              choices={[
                { value: 'full', label: 'full: everything in this project. For back ends' },
                { value: 'frontend', label: 'frontend: what pages need. For browsers' },
              ]}
            />
            <FormProblem error={create.error} />
            <div className="row dialog-actions">
              <Button onClick={close}>Cancel</Button>
              <Button type="submit" look="primary" busy={create.isPending}>
                Create API key
              </Button>
            </div>
          </form>
        )}
      </Dialog>
    </>
  )
}
