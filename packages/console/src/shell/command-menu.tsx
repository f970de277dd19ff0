import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../parts/icons.tsx'
import { useProjectRef, useProjects } from '../session/project.tsx'
import { find } from './find.ts'
import type { Found } from './found.ts'
import { places, sections } from './sections.ts'

const settleMs = 150

/**
 * ⌘K: goes to any page, and to anything by its name or id. The browser's own dialog needs no library, so that it is
 * there for the first key.
 */
export function CommandMenu({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
  }, [open])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, too
    <dialog
      ref={dialog}
      className="commands"
      aria-label="Search"
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      {open && <Commands onClose={onClose} />}
    </dialog>
  )
}

function Commands({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [index, setIndex] = useState(0)
  const list = useId()
  const navigate = useNavigate()
  const items = useFound(query)
  const go = (item: Found | undefined) => {
    if (!item) return
    onClose()
    navigate({ to: item.to as never, ...(item.search && { search: item.search as never }) })
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setIndex(Math.min(items.length - 1, Math.max(0, index + step)))
    else if (event.key === 'Enter') go(items[index])
    else return
    event.preventDefault()
  }
  return (
    <>
      <div className="commands-field">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the reader opened this field
          autoFocus
          role="combobox"
          aria-label="Search by name or id"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={items[index] ? `${list}-${index}` : undefined}
          placeholder="A page, a name or an id"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setIndex(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={list} role="listbox" aria-label="Results" className="commands-list">
        {items.map((item, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={`${item.kind}${item.to}${item.label}`}
            id={`${list}-${at}`}
            role="option"
            aria-selected={at === index}
            className="command-item"
            onMouseMove={() => setIndex(at)}
            onClick={() => go(item)}
          >
            <span className="grow">{item.label}</span>
            <span className="muted small">{item.kind}</span>
          </div>
        ))}
        {items.length === 0 && <p className="muted">No results for “{query}”.</p>}
      </div>
    </>
  )
}

/** Pages by their names, and what the service finds. */
function useFound(query: string): Found[] {
  const projects = useProjects()
  const project = useProjectRef() || projects[0]?.name || ''
  const [settled, setSettled] = useState(query)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query.trim()), settleMs)
    return () => clearTimeout(timer)
  }, [query])
  const { data = [] } = useQuery({
    queryKey: ['search', project, settled],
    queryFn: () => find(project, settled),
    enabled: settled.length > 1 && project !== '',
  })
  const text = query.trim().toLowerCase()
  const pageOf = ({ label, path }: (typeof places)[number]): Found => ({
    kind: 'Page',
    label,
    to: `/${project}/${path}`,
  })
  const pages = sections.flatMap(({ sections }) => sections).map(pageOf)
  const others = projects.map(({ name }): Found => ({ kind: 'Project', label: name, to: `/${name}/overview` }))
  const named = [...pages, ...places.map(pageOf), ...others].filter(({ label }) => label.toLowerCase().includes(text))
  return text === '' ? pages : [...named.slice(0, 6), ...(settled.length > 1 ? data : [])]
}
