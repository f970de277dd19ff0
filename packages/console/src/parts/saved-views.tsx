import { useState } from 'react'
import { readSetting, writeSetting } from '../session/settings.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './fields.tsx'
import { type Filters, useFilters } from './filters.tsx'
import { Icon } from './icons.tsx'
import { Menu } from './menu.tsx'

interface SavedView {
  name: string
  filters: Filters
}

/** Parameters of the address that are not filters: the row that is open, for example. */
const notFilters = ['open', 'tab']

/**
 * A menu of named filters of one list. They are stored in this browser; to send one to somebody, send the address.
 *
 * @param list names the list, for example `operations`
 */
export function SavedViews({ list }: { list: string }) {
  const key = `views:${list}`
  const [views, setViews] = useState(() => readSetting<SavedView[]>(key, []))
  const [search, set] = useFilters()
  const [naming, setNaming] = useState(false)
  const [removing, setRemoving] = useState(false)
  const filters = Object.fromEntries(Object.entries(search).filter(([name]) => !notFilters.includes(name)))
  const store = (next: SavedView[]) => {
    setViews(next)
    writeSetting(key, next)
  }
  const apply = (view: SavedView) =>
    set({ ...Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])), ...view.filters })
  const current = views.find((view) => isSame(view.filters, filters))
  return (
    <>
      <Menu
        label="Saved views"
        trigger={
          <>
            <Icon name="star" /> {current?.name ?? 'Views'}
          </>
        }
        items={[
          ...views.map((view) => ({ label: view.name, onSelect: () => apply(view) })),
          {
            label: 'Save these filters…',
            onSelect: () => setNaming(true),
            disabled: Object.keys(filters).length === 0 || current !== undefined,
          },
          ...(views.length > 0 ? [{ label: 'Remove views…', onSelect: () => setRemoving(true) }] : []),
        ]}
      />
      {naming && (
        <NameDialog
          taken={views.map(({ name }) => name)}
          onClose={() => setNaming(false)}
          onSave={(name) => store([...views, { name, filters }])}
        />
      )}
      <Dialog
        open={removing}
        onClose={() => setRemoving(false)}
        title="Saved views"
        text="Stored in this browser only."
      >
        <ul className="saved-views">
          {views.map(({ name }) => (
            <li key={name} className="row">
              <span className="grow wrap">{name}</span>
              <Button
                look="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => store(views.filter((one) => one.name !== name))}
              >
                Remove
              </Button>
            </li>
          ))}
          {views.length === 0 && <li className="muted">No views are saved.</li>}
        </ul>
      </Dialog>
    </>
  )
}

const nameMax = 60

function NameDialog({
  taken,
  onClose,
  onSave,
}: {
  taken: string[]
  onClose: () => void
  onSave: (name: string) => void
}) {
  const [typed, setTyped] = useState('')
  const name = typed.trim()
  const isTaken = taken.includes(name)
  return (
    <Dialog open onClose={onClose} title="Save these filters" text="The view is stored in this browser.">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name === '' || isTaken) return
          onSave(name)
          onClose()
        }}
      >
        <TextField
          label="Name"
          help="For example: failed reads of today"
          value={typed}
          maxLength={nameMax}
          error={isTaken ? 'There is a view of this name.' : undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={name === '' || isTaken}>
            Save view
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function isSame(one: Filters, other: Filters): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}
