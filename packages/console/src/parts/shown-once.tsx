import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

/** A secret or a link in a dialog, which is shown only now. */
export function ShownOnce({
  text,
  copy,
  value,
  onDone,
}: {
  text: ReactNode
  /** Name of the button that copies it. */
  copy: string
  value: string
  onDone: () => void
}) {
  return (
    <>
      <p>{text}</p>
      <div className="command">
        <code className="wrap">{value}</code>
        <CopyButton text={value} label={copy} />
      </div>
      <div className="row dialog-actions">
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </>
  )
}
