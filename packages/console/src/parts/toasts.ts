/** Short notices in a corner: how an action ended. */
export interface Notice {
  title: string
  text?: string
  kind: 'success' | 'error' | 'info'
}

// The corner loads after the page. What happens before waits for it.
const waiting: Notice[] = []
let show: ((notice: Notice) => void) | undefined

export function toast(notice: Notice): void {
  if (show) show(notice)
  else waiting.push(notice)
}

/** Names what shows notices from now on, and gives it those that wait. */
export function showToasts(shower: (notice: Notice) => void): void {
  show = shower
  for (const notice of waiting.splice(0)) shower(notice)
}
