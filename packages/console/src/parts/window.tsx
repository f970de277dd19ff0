import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'

/** The windows of `dialog.tsx`, with the library that they need. */

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  text?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  wide?: boolean
}

export interface PanelProps {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
}

export function LoadedDialog({ open, onClose, title, text, children, actions, wide = false }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={wide ? 'dialog wide' : 'dialog'}>
          <Header title={title} />
          {text !== undefined && <Base.Description className="muted">{text}</Base.Description>}
          {children}
          {actions !== undefined && <footer className="row dialog-actions">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export function LoadedPanel({ open, onClose, title, children }: PanelProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()} modal={false}>
      <Base.Portal>
        <Base.Popup className="panel">
          <Header title={title} className="panel-header" />
          <div className="panel-body stack">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function Header({ title, className }: { title: string; className?: string }) {
  return (
    <div className={classes('row', className)}>
      <Base.Title className="grow">{title}</Base.Title>
      <Base.Close render={<Button look="quiet" icon aria-label="Close" />}>
        <Icon name="close" />
      </Base.Close>
    </div>
  )
}
