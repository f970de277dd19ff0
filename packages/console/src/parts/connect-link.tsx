import type { Input, Output } from '@mortise/client'
import { type FormEvent, useId, useState } from 'react'
import { useCall, useChange } from '../session/data.ts'
import { useMay } from '../session/project.tsx'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { type Choice, FormProblem, issueOf, SelectField, TextField } from './fields.tsx'
import { useIntegrations } from './integrations.ts'
import { Time } from './time.tsx'

type Session = Output<'createConnectSession'>
type Request = Input<'createConnectSession'>['body']

/** Makes a link that a customer opens to connect an account again. The connection keeps its id. */
export function ReconnectButton({ connectionId, look }: { connectionId: string; look?: 'primary' | 'plain' }) {
  const [open, setOpen] = useState(false)
  const may = useMay('operator')
  return (
    <>
      <Button
        {...(look && { look })}
        disabled={!may}
        title={may ? undefined : 'Operators, developers and owners can do this.'}
        onClick={() => setOpen(true)}
      >
        Make a reconnect link
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Reconnect link"
        text="Your customer opens this link and connects the account again. The connection keeps its id, and its reads resume."
      >
        {open && <Reconnect connectionId={connectionId} />}
      </Dialog>
    </>
  )
}

function Reconnect({ connectionId }: { connectionId: string }) {
  const connection = useCall('getConnection', { connectionId })
  const create = useChange('createConnectSession', { refreshes: [], showsProblem: false })
  const { data } = connection
  if (create.data) return <LinkToCopy session={create.data} />
  return (
    <>
      <FormProblem error={connection.error ?? create.error} />
      {data && (
        <p>
          For {data.consumer.consumerName || data.consumer.consumerRef} of {data.group.groupName || data.group.groupRef}
          .
        </p>
      )}
      <div className="row">
        <Button
          look="primary"
          busy={create.isPending || !data}
          onClick={() => {
            if (!data) return
            const { provider, group, consumer, id } = data
            const { groupRef } = group
            create.mutate({
              body: { purpose: 'connect', provider, connectionId: id, groupRef, consumerRef: consumer.consumerRef },
            })
          }}
        >
          Create the link
        </Button>
      </div>
    </>
  )
}

function LinkToCopy({ session }: { session: Session }) {
  const field = useId()
  return (
    <div className="field">
      <label htmlFor={field}>Link for the customer</label>
      <div className="row link-to-copy">
        <input id={field} readOnly value={session.url} onFocus={(event) => event.target.select()} />
        <CopyButton text={session.url} label="Copy the link" />
      </div>
      <span className="field-help">
        It works until <Time at={session.expireTime} format="absolute" />. Anyone who has it can connect an account for
        this customer, so give it only to them. It is shown once.
      </span>
    </div>
  )
}

const purposes: Choice[] = [
  { value: 'manage', label: 'Manage everything: connect, install, pause, remove' },
  { value: 'install', label: 'Connect and install one integration' },
  { value: 'connect', label: 'Connect one account of an integration' },
]

/** Makes a link with which a customer connects accounts, installs or manages. */
export function CustomerLinkButton({ groupRef, consumerRefs }: { groupRef: string; consumerRefs: string[] }) {
  const [open, setOpen] = useState(false)
  const may = useMay('operator')
  return (
    <>
      <Button
        look="primary"
        disabled={!may}
        title={may ? undefined : 'Operators, developers and owners can do this.'}
        onClick={() => setOpen(true)}
      >
        Make a link for the customer
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Link for the customer"
        text="The link opens a page where the customer connects accounts. It works for half an hour."
      >
        {open && <CustomerLinkForm groupRef={groupRef} consumerRefs={consumerRefs} />}
      </Dialog>
    </>
  )
}

function CustomerLinkForm({ groupRef, consumerRefs }: { groupRef: string; consumerRefs: string[] }) {
  const mayInstall = useMay('developer')
  const [purpose, setPurpose] = useState(mayInstall ? 'manage' : 'connect')
  const [integration, setIntegration] = useState('')
  const [consumerRef, setConsumerRef] = useState(consumerRefs[0] ?? '')
  const { data: integrations = [] } = useIntegrations()
  const create = useChange('createConnectSession', { refreshes: [], showsProblem: false })
  const { error } = create
  if (create.data) return <LinkToCopy session={create.data} />
  const chosen = integration || integrations[0]?.name || ''
  function submit(event: FormEvent) {
    event.preventDefault()
    const body: Request = { purpose: purpose as 'manage' | 'install' | 'connect', groupRef, consumerRef }
    create.mutate({ body: purpose === 'manage' ? body : { ...body, integration: chosen } })
  }
  return (
    <form className="form" onSubmit={submit}>
      <SelectField
        label="What the customer can do"
        choices={mayInstall ? purposes : purposes.filter(({ value }) => value === 'connect')}
        {...(!mayInstall && { help: 'Developers and owners can also let customers install and manage.' })}
        value={purpose}
        error={issueOf(error, 'purpose')}
        onChange={(event) => setPurpose(event.target.value)}
      />
      {purpose !== 'manage' && (
        <SelectField
          label="Integration"
          choices={integrations.map(({ name, latestRevision }) => ({
            value: name,
            label: latestRevision.content.displayName || name,
          }))}
          value={chosen}
          error={issueOf(error, 'integration')}
          onChange={(event) => setIntegration(event.target.value)}
        />
      )}
      <TextField
        label="Person"
        help="Your id of the person at the customer (consumerRef)."
        value={consumerRef}
        required
        error={issueOf(error, 'consumerRef')}
        onChange={(event) => setConsumerRef(event.target.value)}
      />
      <FormProblem error={error} />
      <div className="row">
        <Button type="submit" look="primary" busy={create.isPending}>
          Create the link
        </Button>
      </div>
    </form>
  )
}
