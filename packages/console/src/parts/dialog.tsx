import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { Button } from './button.tsx'
import type { DialogProps, PanelProps } from './window.tsx'

const load = () => import('./window.tsx')
const LoadedDialog = lazy(() => load().then(({ LoadedDialog }) => ({ default: LoadedDialog })))
const LoadedPanel = lazy(() => load().then(({ LoadedPanel }) => ({ default: LoadedPanel })))

/** Loads what windows need before the first one opens. If that fails, the first one loads it. */
export function preloadWindows(): void {
  load().catch(() => undefined)
}

/** A window above the page. Esc closes it, and the focus returns to what opened it. Loads when it first opens. */
export function Dialog(props: DialogProps) {
  return (
    <OnceOpened open={props.open}>
      <LoadedDialog {...props} />
    </OnceOpened>
  )
}

/** A panel at the side: one row of a list, whose address can be sent. */
export function Panel(props: PanelProps) {
  return (
    <OnceOpened open={props.open}>
      <LoadedPanel {...props} />
    </OnceOpened>
  )
}

/** Leaves out what was never open. What was open stays, so that it can close as it does. */
function OnceOpened({ open, children }: { open: boolean; children: ReactNode }) {
  const [opened, setOpened] = useState(open)
  if (open && !opened) setOpened(true)
  return opened && <Suspense fallback={null}>{children}</Suspense>
}

/**
 * A button that asks before it acts. Says what is lost. With `typed`, the reader must type that name first: for what
 * removes more than one thing.
 */
export function ConfirmButton({
  label,
  title,
  text,
  action,
  typed,
  busy = false,
  onConfirm,
  disabled,
  look = 'danger',
}: {
  label: ReactNode
  /** `plain` where nothing is lost. */
  look?: 'danger' | 'plain'
  title: string
  text: ReactNode
  /** Words of the button that does it: "Delete destination". */
  action: string
  typed?: string
  busy?: boolean
  onConfirm: () => Promise<unknown> | unknown
  disabled?: boolean
}) {
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const field = useId()
  const close = () => {
    setOpen(false)
    setName('')
  }
  return (
    <>
      <Button look={look} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title={title}
        text={text}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              look={look === 'plain' ? 'primary' : 'danger'}
              busy={busy}
              disabled={typed !== undefined && name !== typed}
              onClick={async () => {
                await onConfirm()
                close()
              }}
            >
              {action}
            </Button>
          </>
        }
      >
        {typed !== undefined && (
          <div className="field">
            <label htmlFor={field}>
              Type <strong>{typed}</strong> to confirm
            </label>
            <input id={field} value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
          </div>
        )}
      </Dialog>
    </>
  )
}
