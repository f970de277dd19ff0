import { MortiseProblem, type Output } from '@mortise/client'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { FormProblem, TextField } from '../../parts/fields.tsx'
import { counted } from '../../parts/numbers.ts'
import { Card } from '../../parts/page.tsx'
import { Command, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { refresh, useCall, useChange } from '../../session/data.ts'
import { client } from '../../session/session.ts'
import { signOut } from '../../shell/sign-out.ts'
import { addPasskey, hasPasskeys } from './passkey.ts'
import { QrCode } from './qr-code.tsx'

type Totp = Output<'beginTotp'>

const kinds = { totp: 'Authenticator app', passkey: 'Passkey' } as const

/** An action on factors that waits until the person has proved who they are. */
type Action = () => Promise<void>

/** Second factors: what a sign-in needs beside the password. */
export function SecondFactors() {
  const query = useCall('listMyFactors', {})
  const queries = useQueryClient()
  const [waiting, setWaiting] = useState<Action>()
  const [totp, setTotp] = useState<Totp>()
  const [codes, setCodes] = useState<string[]>()
  const [error, setError] = useState<unknown>()

  /** Runs an action; asks for the password first where the sign-in is too long ago. */
  async function run(action: Action) {
    setError(undefined)
    try {
      await action()
      await refresh(queries, ['listMyFactors', 'listMySessions'])
    } catch (error) {
      if (error instanceof MortiseProblem && error.code === 'proof-required') setWaiting(() => action)
      else setError(error)
    }
  }
  const added = (recoveryCodes: string[] | undefined) => {
    setTotp(undefined)
    setCodes(recoveryCodes)
  }

  return (
    <Card
      title="Second factors"
      actions={
        <>
          <Button onClick={() => run(async () => setTotp(await client.beginTotp()))}>Add an app</Button>
          {hasPasskeys() && <Button onClick={() => run(async () => added(await addPasskey()))}>Add a passkey</Button>}
        </>
      }
    >
      {error !== undefined && <FormProblem error={error} />}
      <Loaded query={query}>
        {({ factors, recoveryCodesLeft }) =>
          factors.length === 0 ? (
            <p className="muted">
              Only your password protects this account. Add an authenticator app or a passkey, so that a stolen password
              is not enough.
            </p>
          ) : (
            <>
              <ul className="stack">
                {factors.map(({ id, kind, name, createTime, lastUseTime }) => (
                  <li key={id} className="row">
                    <span className="grow">
                      <strong>{name}</strong>{' '}
                      <span className="muted">
                        {name !== kinds[kind] && `${kinds[kind]}, `}added <Time at={createTime} />,{' '}
                        {lastUseTime ? (
                          <>
                            used <Time at={lastUseTime} />
                          </>
                        ) : (
                          'not used yet'
                        )}
                      </span>
                    </span>
                    <ConfirmButton
                      label="Remove"
                      title={`Remove ${name}?`}
                      text={
                        factors.length === 1
                          ? 'It is the last one: your password alone signs you in then, and your recovery codes stop working.'
                          : 'It no longer signs you in.'
                      }
                      action="Remove factor"
                      onConfirm={() =>
                        run(async () => {
                          await client.deleteMyFactor({ factorId: id })
                        })
                      }
                    />
                  </li>
                ))}
              </ul>
              <div className="row">
                <span className="grow muted">{counted(recoveryCodesLeft, 'recovery code')} left</span>
                <Button
                  onClick={() => run(async () => setCodes((await client.replaceMyRecoveryCodes()).recoveryCodes))}
                >
                  Replace recovery codes
                </Button>
              </div>
            </>
          )
        }
      </Loaded>
      <TotpDialog totp={totp} onClose={() => setTotp(undefined)} onAdded={added} />
      <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
      <ProofDialog
        open={waiting !== undefined}
        hasCodes={query.data !== undefined && hasCodes(query.data)}
        onClose={() => setWaiting(undefined)}
        onProved={() => {
          setWaiting(undefined)
          if (waiting) run(waiting)
        }}
      />
    </Card>
  )
}

function TotpDialog({
  totp,
  onClose,
  onAdded,
}: {
  totp: Totp | undefined
  onClose: () => void
  onAdded: (codes: string[] | undefined) => void
}) {
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const confirm = useChange('confirmTotp', {
    refreshes: ['listMyFactors'],
    done: 'The app was added',
    showsProblem: false,
    onDone: ({ recoveryCodes }) => {
      setCode('')
      onAdded(recoveryCodes)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate({ body: { code, ...(name !== '' && { name }) } })
  }
  return (
    <Dialog
      open={totp !== undefined}
      onClose={onClose}
      title="Add an authenticator app"
      text="Scan the code with your app, or type the key into it. Then enter the six digits that it shows."
    >
      {totp && (
        <form className="form" onSubmit={submit}>
          <QrCode text={totp.uri} label="QR code of the key" />
          <Command text={totp.secret} />
          <TextField
            label="Code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
          <TextField
            label="Name"
            optional
            help="For example Phone"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <FormProblem error={confirm.error} />
          <div className="row dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={confirm.isPending}>
              Add app
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

function RecoveryCodes({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  return (
    <Dialog
      open={codes !== undefined}
      onClose={onClose}
      title="Store your recovery codes"
      text="Each signs you in once, when you have lost your other factors. They are shown only now."
      actions={
        <Button look="primary" onClick={onClose}>
          I have stored them
        </Button>
      }
    >
      {codes && <Command text={codes.join('\n')} />}
    </Dialog>
  )
}

/** Whether the person has an app or recovery codes, and not only passkeys. */
function hasCodes({ factors, recoveryCodesLeft }: Output<'listMyFactors'>): boolean {
  return factors.some(({ kind }) => kind === 'totp') || recoveryCodesLeft > 0
}

function ProofDialog({
  open,
  hasCodes,
  onClose,
  onProved,
}: {
  open: boolean
  hasCodes: boolean
  onClose: () => void
  onProved: () => void
}) {
  const { builder } = { builder: useCall('getMyInfo', {}).data?.builder }
  const byPassword = builder?.idpProvider === 'mortise'
  const [value, setValue] = useState('')
  const prove = useChange('createMyProof', {
    refreshes: [],
    showsProblem: false,
    onDone: () => {
      setValue('')
      onProved()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    prove.mutate({ body: byPassword ? { password: value } : { code: value } })
  }
  if (builder && !byPassword && !hasCodes)
    return (
      <Dialog
        open={open}
        onClose={onClose}
        title="Sign in again"
        text="You signed in more than ten minutes ago. To change your factors, sign in again."
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" onClick={signOut}>
              Sign out
            </Button>
          </>
        }
      />
    )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Prove that it is you"
      text="Your sign-in was more than ten minutes ago."
    >
      <form className="form" onSubmit={submit}>
        <TextField
          label={byPassword ? 'Password' : 'Code of your app, or a recovery code'}
          type={byPassword ? 'password' : 'text'}
          autoComplete={byPassword ? 'current-password' : 'one-time-code'}
          required
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <FormProblem error={prove.error} />
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={prove.isPending}>
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
