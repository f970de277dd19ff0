import { useEffect, useRef } from 'react'

/**
 * Runs an action for a key, unless the reader types into a field. `mod+k` is ⌘K or Ctrl+K, and works in fields too.
 * `g o` are two keys, one after the other.
 */
export function useKeys(keys: Record<string, () => void>): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    let first = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    function onKeyDown(event: KeyboardEvent) {
      const mod = event.metaKey || event.ctrlKey
      if (mod && !event.altKey) return run(`mod+${event.key.toLowerCase()}`, event)
      if (event.altKey || isTyping(event.target)) return
      if (run(first === '' ? event.key : `${first} ${event.key}`, event)) first = ''
      else first = event.key
      clearTimeout(timer)
      timer = setTimeout(() => {
        first = ''
      }, 800)
    }
    function run(name: string, event: KeyboardEvent): boolean {
      const action = current.current[name]
      if (!action) return false
      event.preventDefault()
      action()
      return true
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}
