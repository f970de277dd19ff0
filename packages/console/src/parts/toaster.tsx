import { Toast } from '@base-ui/react/toast'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { toasts } from './toasts.ts'

/** Where notices appear. A screen reader reads them; F6 reaches them. */
export function Toaster() {
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
