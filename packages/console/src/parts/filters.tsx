import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import type { Choice } from './fields.tsx'
import { Icon } from './icons.tsx'

/** The filters in the address: each is a parameter of the query. */
export type Filters = Record<string, string>

/** Reads and sets the filters of the page. What is empty leaves the address. */
export function useFilters(): [filters: Filters, set: (change: Record<string, string | undefined>) => void] {
  const search = useSearch({ strict: false }) as Filters
  const navigate = useNavigate()
  return [
    search,
    (change) =>
      navigate({
        to: '.',
        replace: true,
        search: ((before: Filters) => withoutEmpty({ ...before, ...change })) as never,
      }),
  ]
}

function withoutEmpty(filters: Record<string, string | undefined>): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  )
}

export type FilterDeclaration =
  /** With `required`, one choice always applies: the first one when the address has none. */
  | { name: string; label: string; choices: Choice[]; required?: boolean }
  | { name: string; label: string; kind: 'text' | 'time' }

/** Fields above a list that set its filters. */
export function FilterBar({ filters, children }: { filters: FilterDeclaration[]; children?: React.ReactNode }) {
  const [values, set] = useFilters()
  const chosen = filters.filter((filter) => values[filter.name] !== undefined && !isRequired(filter))
  const [open, setOpen] = useState(false)
  const folds = filters.length > foldedFrom
  const times = filters.filter(isTime)
  return (
    <search className={classes('filters', folds && !open && 'folded')}>
      {folds && (
        <Button className="filters-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
          {chosen.length === 0 ? 'Filters' : `Filters (${chosen.length})`}
        </Button>
      )}
      {filters.map((filter) =>
        isTime(filter) ? null : 'choices' in filter ? (
          <select
            key={filter.name}
            aria-label={filter.label}
            className={values[filter.name] === undefined ? undefined : 'chosen'}
            value={values[filter.name] ?? (isRequired(filter) ? filter.choices[0]?.value : '')}
            onChange={(event) => set({ [filter.name]: event.target.value })}
          >
            {!isRequired(filter) && <option value="">{filter.label}: any</option>}
            {filter.choices.map(({ value, label }) => (
              <option key={value} value={value}>
                {filter.label}: {label}
              </option>
            ))}
          </select>
        ) : (
          <TextFilter
            key={filter.name}
            label={filter.label}
            value={values[filter.name] ?? ''}
            onChange={(value) => set({ [filter.name]: value })}
          />
        ),
      )}
      {times.length > 0 && (
        <span className="period">
          {times.map(({ name, label }) => (
            <TimeFilter
              key={name}
              label={label}
              value={values[name] ?? ''}
              onChange={(value) => set({ [name]: value })}
            />
          ))}
        </span>
      )}
      {chosen.length > 0 && (
        <Button look="quiet" onClick={() => set(Object.fromEntries(chosen.map(({ name }) => [name, undefined])))}>
          Clear
        </Button>
      )}
      <span className="grow" />
      {children}
    </search>
  )
}

/** More filters than these take half of a phone: they are behind a button there. */
const foldedFrom = 3

const isTime = (filter: FilterDeclaration) => 'kind' in filter && filter.kind === 'time'
const isRequired = (filter: FilterDeclaration) => 'choices' in filter && filter.required === true

const settleMs = 250

interface FieldProps {
  label: string
  value: string
  onChange: (value: string) => void
}

/** A time is local in the field, and UTC in the address. */
function TimeFilter({ label, value, onChange }: FieldProps) {
  return (
    <label className={value ? 'time-filter chosen' : 'time-filter'}>
      {label}
      <input
        type="datetime-local"
        value={toLocal(value)}
        onChange={(event) => onChange(event.target.value ? new Date(event.target.value).toISOString() : '')}
      />
    </label>
  )
}

/** Sets its filter when nobody has typed for a moment. */
function TextFilter({ label, value, onChange }: FieldProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), settleMs)
    return () => clearTimeout(timer)
  })
  return (
    <span className="text-filter">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </span>
  )
}

function toLocal(value: string): string {
  const time = new Date(value)
  if (value === '' || Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
