import { useEffect, useState } from 'react'
import { Icon } from './icons.tsx'

/** Copies a text. Says so where it was pressed. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <button
      type="button"
      className="copy"
      aria-label={copied ? 'Copied' : label}
      title={copied ? 'Copied' : label}
      onClick={async (event) => {
        event.stopPropagation()
        event.preventDefault()
        await navigator.clipboard.writeText(text)
        setCopied(true)
      }}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  )
}

const shownStart = 8
const shownEnd = 4
const cutFrom = shownStart + shownEnd + 2

/** An id, cut in the middle, that can be copied whole. */
export function Id({ id }: { id: string }) {
  const cut = id.length > cutFrom ? `${id.slice(0, shownStart)}…${id.slice(-shownEnd)}` : id
  return (
    <span className="id">
      <code title={id}>{cut}</code>
      <CopyButton text={id} label={`Copy ${id}`} />
    </span>
  )
}
