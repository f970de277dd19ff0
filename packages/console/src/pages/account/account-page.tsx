import type { Item } from '@mortise/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable, whole } from '../../parts/data-table.tsx'
import { FormProblem, issueOf, TextField } from '../../parts/fields.tsx'
import { Card, Columns, Facts, Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tag, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMe } from '../../session/project.tsx'
import { roleOf } from '../../session/roles.ts'
import { SecondFactors } from './second-factors.tsx'
import { signInOf } from './sign-in-of.ts'
import '../settings/settings.css'

type Session = Item<'listMySessions'>

/** What belongs to the signed-in person, in all projects. */
export default function AccountPage() {
  const { builder, orgRole } = useMe()
  return (
    <Page title="Your account">
      <Columns
        main={
          <>
            <SecondFactors />
            <Sessions />
          </>
        }
        side={
          <>
            <Card title="You">
              <Facts
                facts={[
                  ['Name', builder.fullName],
                  ['Email', builder.primaryEmail],
                  ['Signs in with', signInOf(builder.idpProvider)],
                  ['Organization', orgRole?.org.label],
                  ['Role', orgRole && words(roleOf(orgRole.role))],
                  ['Since', <Time key="since" at={builder.createTime} format="absolute" />],
                ]}
              />
            </Card>
            {builder.idpProvider === 'mortise' && <Password />}
          </>
        }
      />
    </Page>
  )
}

function Password() {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const change = useChange('changePassword', {
    refreshes: ['listMySessions'],
    done: 'The password was changed. Other sessions ended',
    showsProblem: false,
    onDone: () => {
      setCurrent('')
      setNew('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ body: { currentPassword, newPassword } })
  }
  return (
    <Card title="Password">
      <form className="form" onSubmit={submit}>
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={currentPassword}
          error={issueOf(change.error, 'currentPassword')}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          value={newPassword}
          error={issueOf(change.error, 'newPassword')}
          onChange={(event) => setNew(event.target.value)}
        />
        <FormProblem error={change.error} />
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </form>
    </Card>
  )
}

const kinds: Record<Session['kind'], string> = {
  browser: 'Browser',
  api: 'Program',
  cli: 'Command line',
  agent: 'Agent',
}

function Sessions() {
  const query = useCall('listMySessions', {})
  const end = useChange('deleteMySession', { refreshes: ['listMySessions'], done: 'The session ended' })
  const endOthers = useChange('endOtherSessions', {
    refreshes: ['listMySessions'],
    done: ({ ended }) => `${ended} other sessions ended`,
  })
  const columns: Column<Session>[] = [
    {
      id: 'client',
      header: 'Client',
      least: 145,
      cell: ({ client, kind }) => client ?? kinds[kind],
    },
    {
      id: 'kind',
      header: 'Kind',
      width: 130,
      cell: ({ kind, mayChange }) =>
        kind === 'agent' ? `${kinds[kind]}, ${mayChange ? 'can change' : 'only reads'}` : kinds[kind],
    },
    { id: 'address', header: 'Address', width: 120, cell: ({ address }) => address },
    { id: 'created', header: 'Signed in', width: 90, cell: ({ createTime }) => <Time at={createTime} /> },
    { id: 'used', header: 'Last used', width: 90, cell: ({ lastUseTime }) => <Time at={lastUseTime} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 85,
      cell: ({ id, current }) =>
        current ? (
          <Tag meaning="ok">This one</Tag>
        ) : (
          <span className="small-buttons">
            <Button onClick={() => end.mutate({ sessionId: id })}>End</Button>
          </span>
        ),
    },
  ]
  return (
    <Card
      title="Sessions"
      flush
      actions={
        (query.data?.length ?? 0) > 1 && (
          <Button busy={endOthers.isPending} onClick={() => endOthers.mutate({})}>
            End all others
          </Button>
        )
      }
    >
      <DataTable
        label="Sessions"
        columns={columns}
        list={whole(query.data, query)}
        keyOf={({ id }) => id}
        empty={<Empty title="No sessions" />}
        height={320}
      />
    </Card>
  )
}
