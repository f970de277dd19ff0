import type { Item } from '@mortise/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable, whole } from '../../parts/data-table.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, SelectField, TextField } from '../../parts/fields.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay, useMe } from '../../session/project.tsx'
import { type Role, roleOf, roles } from '../../session/roles.ts'
import { signInOf } from '../account/sign-in-of.ts'
import { OrgSettingsPage } from './settings-page.tsx'
import './settings.css'

type Person = Item<'listOrgBuilders'>
type Invite = Item<'listOrgInvites'>

/** What each role may do, in one line. */
const meanings: Record<Role, string> = {
  viewer: 'sees everything but secrets',
  operator: 'also runs, pauses, replays and tests',
  developer: 'also changes integrations, destinations, apps and keys',
  owner: 'also invites people and changes roles',
}
const roleChoices = roles.map((role) => ({ value: role, label: `${words(role)}: ${meanings[role]}` }))

export default function PeoplePage() {
  const isOwner = useMay('owner')
  return (
    <OrgSettingsPage actions={(orgId) => isOwner && <InviteButton orgId={orgId} />}>
      {(orgId) => (
        <>
          <People orgId={orgId} />
          {isOwner ? <Invites orgId={orgId} /> : <p className="muted">Owners can invite people and change roles.</p>}
        </>
      )}
    </OrgSettingsPage>
  )
}

function People({ orgId }: { orgId: string }) {
  const query = useCall('listOrgBuilders', { orgId })
  const isOwner = useMay('owner')
  const me = useMe()
  const columns: Column<Person>[] = [
    {
      id: 'name',
      header: 'Person',
      cell: ({ id, fullName, primaryEmail }) => (
        <>
          {fullName || primaryEmail} {id === me.builder.id && <span className="muted">(you)</span>}
        </>
      ),
    },
    { id: 'email', header: 'Email', cell: ({ primaryEmail }) => primaryEmail },
    {
      id: 'signIn',
      header: 'Signs in with',
      width: 140,
      cell: ({ idpProvider }) => signInOf(idpProvider),
      hidden: true,
    },
    {
      id: 'role',
      header: 'Role',
      width: 160,
      cell: (person) => (isOwner ? <RoleChoice orgId={orgId} person={person} /> : words(roleOf(person.role))),
    },
    { id: 'joined', header: 'Since', width: 120, cell: ({ createTime }) => <Time at={createTime} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 110,
      cell: (person) => isOwner && <RemovePerson orgId={orgId} person={person} />,
    },
  ]
  return (
    <DataTable
      label="People"
      columns={columns}
      list={whole(query.data, query)}
      keyOf={({ id }) => id}
      empty={<Empty title="Nobody is here" />}
      height={320}
    />
  )
}

function RoleChoice({ orgId, person }: { orgId: string; person: Person }) {
  const change = useChange('updateOrgBuilder', {
    refreshes: ['listOrgBuilders', 'getMyInfo'],
    done: ({ role }) => `${person.primaryEmail ?? 'The person'} is ${role} now`,
  })
  return (
    <select
      aria-label={`Role of ${person.primaryEmail}`}
      className="role-choice"
      value={roleOf(person.role)}
      disabled={change.isPending}
      onChange={(event) =>
        change.mutate({
          orgId,
          builderId: person.id,
          body: { builder: { role: event.target.value as Role }, updateMask: ['role'] },
        })
      }
    >
      {roles.map((role) => (
        <option key={role} value={role} title={meanings[role]}>
          {words(role)}
        </option>
      ))}
    </select>
  )
}

function RemovePerson({ orgId, person }: { orgId: string; person: Person }) {
  const remove = useChange('deleteOrgBuilder', { refreshes: ['listOrgBuilders'], done: 'The person was removed' })
  return (
    <span className="small-buttons">
      <ConfirmButton
        label="Remove"
        title={`Remove ${person.primaryEmail ?? 'this person'}?`}
        text="They lose access to all projects of the organization immediately. What they created stays."
        action="Remove person"
        busy={remove.isPending}
        onConfirm={() => remove.mutateAsync({ orgId, builderId: person.id })}
      />
    </span>
  )
}

function Invites({ orgId }: { orgId: string }) {
  const query = useCall('listOrgInvites', { orgId })
  const revoke = useChange('deleteOrgInvite', { refreshes: ['listOrgInvites'], done: 'The invite was revoked' })
  const columns: Column<Invite>[] = [
    { id: 'email', header: 'Invited', cell: ({ invitedEmail }) => invitedEmail },
    { id: 'role', header: 'Role', width: 120, cell: ({ role }) => words(roleOf(role)) },
    { id: 'status', header: 'Status', width: 120, cell: ({ status }) => <Status state={status} /> },
    { id: 'created', header: 'Sent', width: 120, cell: ({ createTime }) => <Time at={createTime} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 110,
      cell: ({ id, status }) =>
        status === 'pending' && (
          <span className="small-buttons">
            <Button onClick={() => revoke.mutate({ orgId, inviteId: id })}>Revoke</Button>
          </span>
        ),
    },
  ]
  return (
    <DataTable
      label="Invites"
      columns={columns}
      list={whole(query.data, query)}
      keyOf={({ id }) => id}
      empty={<Empty title="No invites" text="Invite the people who build and operate integrations with you." />}
      height={280}
    />
  )
}

function InviteButton({ orgId }: { orgId: string }) {
  const [open, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const [link, setLink] = useState<string>()
  const close = () => {
    setOpen(false)
    setEmail('')
    setLink(undefined)
  }
  const invite = useChange('createOrgInvite', {
    refreshes: ['listOrgInvites'],
    done: ({ invitedEmail }) => `${invitedEmail} was invited`,
    showsProblem: false,
    onDone: (created) => (created.link === undefined ? close() : setLink(created.link)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate({ orgId, body: { email, role } })
  }
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Invite a person
      </Button>
      <Dialog open={open} onClose={close} title={link === undefined ? 'Invite a person' : 'Send this link'}>
        {link !== undefined ? (
          <ShownOnce
            text={`This service sends no mail. Send the link to ${email}. It works once, for 14 days.`}
            copy="Copy the link"
            value={link}
            onDone={close}
          />
        ) : (
          <form className="form" onSubmit={submit}>
            <TextField
              label="Email"
              type="email"
              required
              value={email}
              error={issueOf(invite.error, 'email')}
              onChange={(event) => setEmail(event.target.value)}
            />
            <SelectField
              label="Role"
              value={role}
              choices={roleChoices}
              onChange={(event) => setRole(event.target.value as Role)}
            />
            <FormProblem error={invite.error} />
            <div className="row dialog-actions">
              <Button onClick={close}>Cancel</Button>
              <Button type="submit" look="primary" busy={invite.isPending}>
                Invite
              </Button>
            </div>
          </form>
        )}
      </Dialog>
    </>
  )
}
