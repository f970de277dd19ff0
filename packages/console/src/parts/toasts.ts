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
    priority: kind === 'error' ? 'high' : 'low',
  })
}
