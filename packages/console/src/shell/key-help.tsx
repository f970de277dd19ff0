import { Dialog } from '../parts/dialog.tsx'

const keys: [key: string, meaning: string][] = [
  ['⌘K or Ctrl+K', 'Search, and go to any page'],
  ['/', 'The same'],
  ['j, k', 'Next and previous row of a list'],
  ['Enter', 'Open the row'],
  ['x', 'Choose the row'],
  ['Esc', 'Close a panel or a window'],
  ['?', 'This list'],
]

export function KeyHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      <dl className="facts">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
