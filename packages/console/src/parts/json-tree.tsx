import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'

type Json = unknown

const openDepth = 2
/** Items that one level shows until the reader asks for all: a long array must not stop the page. */
const firstItems = 100

/** JSON as a tree: levels open and close, values and paths can be copied, a search marks what it finds. */
export function JsonTree({
  value,
  label = 'JSON',
  openLevels = openDepth,
}: {
  value: Json
  label?: string
  /** Levels that are open at first. */
  openLevels?: number
}) {
  const [query, setQuery] = useState('')
  return (
    <div className="json">
      <div className="json-tools row">
        <input
          type="search"
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <span className="grow" />
        <CopyButton text={JSON.stringify(value, null, 2)} label={`Copy ${label}`} />
      </div>
      <div className="json-body">
        <Node name={undefined} value={value} path="" depth={0} openLevels={openLevels} query={query.toLowerCase()} />
      </div>
    </div>
  )
}

interface NodeProps {
  name: string | undefined
  value: Json
  path: string
  depth: number
  openLevels: number
  query: string
}

function Node(props: NodeProps) {
  const { value } = props
  return typeof value === 'object' && value !== null ? <Level {...props} value={value} /> : <Leaf {...props} />
}

function Level({ name, value, path, depth, openLevels, query }: NodeProps & { value: object }) {
  const [opened, setOpened] = useState<boolean>()
  const [all, setAll] = useState(false)
  const entries = Object.entries(value)
  const isArray = Array.isArray(value)
  const open = opened ?? (depth < openLevels || (query !== '' && holds(value, query)))
  const shown = all ? entries : entries.slice(0, firstItems)
  return (
    <div className="json-level">
      <div className="json-line">
        <button type="button" className="json-toggle" aria-expanded={open} onClick={() => setOpened(!open)}>
          <span aria-hidden="true">{open ? '▾' : '▸'}</span> <Name name={name} query={query} />
          <span className="muted">{isArray ? `[${entries.length}]` : `{${entries.length}}`}</span>
        </button>
      </div>
      {open && (
        <div className="json-children">
          {shown.map(([key, item]) => (
            <Node
              key={key}
              name={key}
              value={item}
              path={pathOf(path, key, isArray)}
              depth={depth + 1}
              openLevels={openLevels}
              query={query}
            />
          ))}
          {shown.length < entries.length && (
            <button type="button" className="json-toggle" onClick={() => setAll(true)}>
              {entries.length - shown.length} more
            </button>
          )}
        </div>
      )}
    </div>
  )
}

function Leaf({ name, value, path, query }: NodeProps) {
  const text = typeof value === 'string' ? `"${value}"` : String(value)
  const found = query !== '' && text.toLowerCase().includes(query)
  return (
    <div className="json-line">
      <Name name={name} query={query} />
      <span className={`json-${value === null ? 'null' : typeof value}${found ? ' found' : ''}`}>{text}</span>
      <span className="json-copies">
        <CopyButton text={typeof value === 'string' ? value : text} label="Copy the value" />
        {path !== '' && <CopyButton text={path} label={`Copy the path ${path}`} />}
      </span>
    </div>
  )
}

function Name({ name, query }: { name: string | undefined; query: string }) {
  if (name === undefined) return null
  const found = query !== '' && name.toLowerCase().includes(query)
  return <span className={found ? 'json-name found' : 'json-name'}>{name}: </span>
}

function holds(value: Json, query: string): boolean {
  if (typeof value !== 'object' || value === null) return String(value).toLowerCase().includes(query)
  return Object.entries(value).some(([key, item]) => key.toLowerCase().includes(query) || holds(item, query))
}

function pathOf(parent: string, key: string, isArray: boolean): string {
  if (isArray) return `${parent}[${key}]`
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return parent === '' ? key : `${parent}.${key}`
  return `${parent}[${JSON.stringify(key)}]`
}
