import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'

export interface MenuItem {
  label: ReactNode
  onSelect: () => void
  danger?: boolean
  disabled?: boolean
}

/** A menu of further actions. */
export function Menu({ label, items, trigger }: { label: string; items: MenuItem[]; trigger?: ReactNode }) {
  if (items.length === 0) return null
  return (
    <Base.Root>
      <Base.Trigger render={<Button look={trigger ? 'plain' : 'quiet'} icon={!trigger} aria-label={label} />}>
        {trigger ?? <Icon name="more" />}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="positioner">
          <Base.Popup className="menu">
            {items.map(({ label, onSelect, danger, disabled }, index) => (
              <Base.Item
                // Items of one menu do not move.
                // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
                key={index}
                className={danger ? 'menu-item danger' : 'menu-item'}
                disabled={disabled ?? false}
                onClick={onSelect}
              >
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** A menu of marks: which columns are shown, for example. */
export function CheckMenu({
  label,
  trigger,
  items,
}: {
  label: string
  trigger: ReactNode
  items: { label: string; checked: boolean; onChange: (checked: boolean) => void }[]
}) {
  return (
    <Base.Root>
      <Base.Trigger render={<Button look="quiet" icon aria-label={label} />}>{trigger}</Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="positioner">
          <Base.Popup className="menu">
            {items.map(({ label, checked, onChange }) => (
              <Base.CheckboxItem
                key={label}
                className="menu-item"
                checked={checked}
                onCheckedChange={onChange}
                closeOnClick={false}
              >
                <span className="menu-check">{checked && <Icon name="check" />}</span>
                {label}
              </Base.CheckboxItem>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
