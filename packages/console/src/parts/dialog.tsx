import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useId, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'

/** A window above the page. Esc closes it, and the focus returns to what opened it. */
export function Dialog({
  open,
  onClose,
  title,
  text,
  children,
  actions,
  wide = false,
}: {
  open: boolean
  onClose: () => void
  title: string
  text?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  wide?: boolean
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={wide ? 'dialog wide' : 'dialog'}>
          <div className="row">
            <Base.Title className="grow">{title}</Base.Title>
            <Base.Close render={<Button look="quiet" icon aria-label="Close" />}>
              <Icon name="close" />
            </Base.Close>
          </div>
          {text !== undefined && <Base.Description className="muted">{text}</Base.Description>}
          {children}
          {actions !== undefined && <footer className="row dialog-actions">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** A panel at the side: one row of a list, whose address can be sent. */
export function Panel({
  open,
  onClose,
  title,
  children,
}: {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()} modal={false}>
      <Base.Portal>
        <Base.Popup className="panel">
          <div className="row panel-header">
            <Base.Title className="grow">{title}</Base.Title>
            <Base.Close render={<Button look="quiet" icon aria-label="Close" />}>
              <Icon name="close" />
            </Base.Close>
          </div>
          <div className="panel-body stack">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
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
