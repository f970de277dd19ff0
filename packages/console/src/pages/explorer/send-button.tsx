import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'

const readOnly = ['GET', 'HEAD', 'OPTIONS']

/** Sends a request. Asks first where the method may change something. */
export function SendButton({
  method,
  path,
  what,
  isSending,
  disabled,
  onSend,
}: {
  method: string
  path: string
  /** Where it takes effect: a project, a customer's account. */
  what: string
  isSending: boolean
  disabled: boolean
  onSend: () => void
}) {
  const [asks, setAsks] = useState(false)
  const send = () => {
    setAsks(false)
    onSend()
  }
  return (
    <>
      <Button
        look="primary"
        busy={isSending}
        disabled={disabled}
        onClick={() => (readOnly.includes(method) ? send() : setAsks(true))}
      >
        Send {method}
      </Button>
      <Dialog
        open={asks}
        onClose={() => setAsks(false)}
        title={`Send ${method}`}
        text={`This may change ${what}. It takes effect when you send it.`}
        actions={
          <>
            <Button onClick={() => setAsks(false)}>Cancel</Button>
            <Button look="primary" onClick={send}>
              Send {method}
            </Button>
          </>
        }
      >
        <code className="wrap">
          {method} {path}
        </code>
      </Dialog>
    </>
  )
}
