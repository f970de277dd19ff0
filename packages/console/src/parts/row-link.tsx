import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

/**
 * A link in a row of a long list. The router's own link follows the address and preloads its page: a hundred of them a
 * second are too many while a reader scrolls.
 */
export function RowLink({ to, title, children }: { to: string; title?: string; children: ReactNode }) {
  const router = useRouter()
  function onClick(event: MouseEvent) {
    const { button, metaKey, ctrlKey, shiftKey, altKey } = event
    if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
    event.preventDefault()
    void router.navigate({ to: to as never })
  }
  return (
    <a href={`${router.basepath}${to}`} title={title} onClick={onClick}>
      {children}
    </a>
  )
}
