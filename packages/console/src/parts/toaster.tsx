import { Toast } from '@base-ui/react/toast'
import { useEffect } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { type Notice, showToasts } from './toasts.ts'

const toasts = Toast.createToastManager()

function show({ title, text, kind }: Notice): void {
  toasts.add({
    title,
    ...(text !== undefined && text !== title && { description: text }),
    type: kind,
    timeout: kind === 'error' ? 12_000 : 4_000,
    // With `high`, Base UI hides the notice from screen readers, with its button, and reads a copy.
    priority: 'low',
  })
}

/** Where notices appear. A screen reader reads them; F6 reaches them. */
export default function Toaster() {
  // After the provider has begun to listen: the manager keeps nothing for it.
  useEffect(() => showToasts(show), [])
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Notices />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function Notices() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((notice) => (
    <Toast.Root key={notice.id} toast={notice} className={`toast ${notice.type ?? 'info'}`} swipeDirection="right">
      <div className="grow">
        <Toast.Title className="toast-title" />
        <Toast.Description className="muted small wrap" />
      </div>
      <Toast.Close render={<Button look="quiet" icon aria-label="Dismiss" />}>
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  ))
}
