import { Toast } from '@base-ui/react/toast'

/** Short notices in a corner: how an action ended. */
export const toasts = Toast.createToastManager()

export function toast({
  title,
  text,
  kind,
}: {
  title: string
  text?: string
  kind: 'success' | 'error' | 'info'
}): void {
  toasts.add({
    title,
    ...(text !== undefined && text !== title && { description: text }),
    type: kind,
    timeout: kind === 'error' ? 12_000 : 4_000,
    // With `high`, Base UI hides the notice from screen readers, with its button, and reads a copy.
    priority: 'low',
  })
}
