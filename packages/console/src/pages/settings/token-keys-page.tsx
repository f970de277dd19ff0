import type { Item } from '@mortise/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable, whole } from '../../parts/data-table.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, TextArea, TextField } from '../../parts/fields.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { SettingsPage } from './settings-page.tsx'
import './settings.css'

type TokenKey = Item<'listJWTKeys'>

const columns: Column<TokenKey>[] = [
  { id: 'label', header: 'Label', cell: ({ label }) => label },
  { id: 'id', header: 'Key id (kid)', width: 200, cell: ({ id }) => <Id id={id} /> },
  { id: 'state', header: 'State', width: 110, cell: ({ active }) => <Status state={active ? 'active' : 'disabled'} /> },
  { id: 'created', header: 'Created', width: 120, cell: ({ createTime }) => <Time at={createTime} /> },
  { id: 'actions', header: 'Actions', width: 190, cell: (key) => <KeyActions tokenKey={key} /> },
]

/** Public keys that verify the tokens which the builder signs for consumers. */
export default function TokenKeysPage() {
  const query = useCall('listJWTKeys', {})
  const mayChange = useMay('developer')
  return (
    <SettingsPage actions={mayChange && <NewKey />}>
      <p className="muted">
        Your back end signs tokens for your customers with a private key. Mortise verifies them with the public key
        here. <a href="/docs/consumer-tokens">How to sign tokens</a>
      </p>
      <DataTable
        label="Token keys"
        columns={columns}
        list={whole(query.data, query)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No token keys" text="Add a public key, so that browsers of your customers can call the API." />
        }
        height={480}
      />
    </SettingsPage>
  )
}

function KeyActions({ tokenKey: { id, label, active } }: { tokenKey: TokenKey }) {
  const mayChange = useMay('developer')
  const change = useChange('updateJWTKey', {
    refreshes: ['listJWTKeys'],
    done: active ? 'The key was disabled' : 'The key was enabled',
  })
  const remove = useChange('deleteJWTKey', { refreshes: ['listJWTKeys'], done: 'The key was deleted' })
  if (!mayChange) return null
  return (
    <span className="row small-buttons">
      <Button
        busy={change.isPending}
        onClick={() => change.mutate({ keyId: id, body: { jwtKey: { active: !active }, updateMask: ['active'] } })}
      >
        {active ? 'Disable' : 'Enable'}
      </Button>
      <ConfirmButton
        label="Delete"
        title={`Delete the key ${label}?`}
        text="Tokens that were signed with it are rejected immediately."
        action="Delete key"
        busy={remove.isPending}
        onConfirm={() => remove.mutateAsync({ keyId: id })}
      />
    </span>
  )
}

function NewKey() {
  const [open, setOpen] = useState(false)
  const [label, setLabel] = useState('')
  const [publicKeyPem, setPublicKeyPem] = useState('')
  const create = useChange('createJWTKey', {
    refreshes: ['listJWTKeys'],
    done: ({ kid }) => `The key ${kid} was added`,
    showsProblem: false,
    onDone: () => {
      setOpen(false)
      setLabel('')
      setPublicKeyPem('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ body: { label, algorithm: 'RS256', publicKeyPem } })
  }
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Add public key
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Add a public key">
        <form className="form" onSubmit={submit}>
          <TextField
            label="Label"
            required
            value={label}
            error={issueOf(create.error, 'label')}
            onChange={(event) => setLabel(event.target.value)}
          />
          <TextArea
            label="Public key"
            help="RSA of 2,048 bits or more, as PEM. Never the private key."
            className="mono"
            required
            value={publicKeyPem}
            error={issueOf(create.error, 'publicKeyPem')}
            onChange={(event) => setPublicKeyPem(event.target.value)}
          />
          <FormProblem error={create.error} />
          <div className="row dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" look="primary" busy={create.isPending}>
              Add public key
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
